"""The packages that the images install are the ones that the training program imports."""

import ast
import re
import sys

from tests.kubecluster.product_images import CONTEXT

INSTALLED_AS = {"tensorflow": "tensorflow-cpu"}


def imported():
    found = set()
    for path in CONTEXT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"training"}


def locked(name):
    text = (CONTEXT / f"requirements-{name}.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def test_whatever_the_program_imports_is_in_the_servers_image():
    assert {INSTALLED_AS.get(name, name) for name in imported()} <= locked("server").keys()


def test_both_images_have_the_same_versions_of_what_they_share():
    server, interface = locked("server"), locked("interface")
    assert server.items() <= interface.items()


def test_jupyter_is_in_the_interfaces_image_alone():
    assert "jupyterlab" in locked("interface")
    assert "jupyterlab" not in locked("server")
