"""Google Cloud's regions with Kubernetes Engine: their zones, and their prices against us-central1's.

The price factor is that of E2, N1 and N2 machines on 3 August 2026
(https://cloud.google.com/compute/all-pricing); newer families differ from it by a few per cent in some
regions, other prices are assumed to follow it.
"""

import dataclasses
import re
from collections.abc import Mapping

_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")


@dataclasses.dataclass(frozen=True)
class Region:
    """One region: the letters of its zones, and what a machine costs there against us-central1."""

    letters: str
    price_factor: float


_FACTORS: Mapping[float, str] = {
    1.00: "us-central1 us-east1 us-east5 us-west1",
    1.05: "asia-southeast3 europe-north2",
    1.09: "northamerica-south1",
    1.10: "africa-south1 europe-north1 europe-west1 europe-west4 me-west1 northamerica-northeast1"
    " northamerica-northeast2",
    1.13: "us-east4 us-west4",
    1.16: "asia-east1 europe-west8 europe-west9",
    1.18: "europe-southwest1 us-south1",
    1.20: "asia-south1 asia-south2 us-west2 us-west3",
    1.21: "australia-southeast2 europe-central2 me-central1",
    1.23: "asia-southeast1",
    1.28: "asia-northeast1 asia-northeast2 asia-northeast3",
    1.29: "europe-west10 europe-west12 europe-west2 europe-west3",
    1.31: "europe-west6",
    1.35: "asia-southeast2",
    1.40: "asia-east2",
    1.42: "australia-southeast1",
    1.43: "southamerica-west1",
    1.59: "southamerica-east1",
    1.60: "me-central2",
}
_LETTERS = {"us-central1": "abcf", "us-east1": "bcd", "europe-west1": "bcd"}

REGIONS: Mapping[str, Region] = {
    name: Region(_LETTERS.get(name, "abc"), factor)
    for factor, names in _FACTORS.items()
    for name in names.split()
}
"""Every region by name."""


def is_zone(name: str) -> bool:
    """Whether a name has the form of a zone's, e.g. ``us-central1-a``."""
    return _ZONE.fullmatch(name) is not None


def zones_of(region: str) -> tuple[str, ...]:
    """Names of a region's zones, none where the region is unknown."""
    return tuple(f"{region}-{letter}" for letter in REGIONS[region].letters) if region in REGIONS else ()
