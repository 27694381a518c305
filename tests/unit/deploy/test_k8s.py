"""The Kubernetes manifests: no cluster to try them on, so their facts are held to ours."""

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import ROOT

from citespan.deploy.node.assemble import VERSION

K8S = ROOT / "deploy" / "k8s"


def documents(name: str) -> dict[str, Any]:
    """The documents of a manifest, by kind."""
    read = list(yaml.safe_load_all((K8S / name).read_text(encoding="utf-8")))
    assert all(resource["metadata"]["name"] for resource in read)
    return {resource["kind"]: resource for resource in read}


@pytest.fixture
def job() -> Any:
    return documents("load.yml")["Job"]


@pytest.fixture
def container(job: Any) -> Any:
    [found] = job["spec"]["template"]["spec"]["containers"]
    return found


@pytest.mark.parametrize("kind", ["Elasticsearch", "Kibana"])
def test_the_operators_kinds_are_of_the_version_that_is_tested(kind: str) -> None:
    found = documents(f"{kind.lower()}.yml")[kind]
    assert found["apiVersion"] == f"{kind.lower()}.k8s.elastic.co/v1"
    assert found["spec"]["version"] == VERSION
    pinned = (ROOT / "constraints" / "develop.txt").read_text(encoding="utf-8")
    [client] = re.findall(r"^elasticsearch==(\d+\.\d+)\.", pinned, re.MULTILINE)
    assert VERSION.startswith(f"{client}.")


def test_three_nodes_hold_what_they_are_given() -> None:
    spec = documents("elasticsearch.yml")["Elasticsearch"]["spec"]
    [nodes] = spec["nodeSets"]
    assert nodes["count"] == 3
    [claim] = nodes["volumeClaimTemplates"]
    # the operator looks for a claim of this name, and else takes a volume that is lost
    assert claim["metadata"]["name"] == "elasticsearch-data"
    [server] = nodes["podTemplate"]["spec"]["containers"]
    assert server["name"] == "elasticsearch"
    assert server["resources"]["requests"]["memory"] == server["resources"]["limits"]["memory"]


def test_kibana_and_the_job_are_of_the_same_cluster(job: Any, container: Any) -> None:
    name = documents("elasticsearch.yml")["Elasticsearch"]["metadata"]["name"]
    assert documents("kibana.yml")["Kibana"]["spec"]["elasticsearchRef"]["name"] == name
    environment = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert environment["CITESPAN_ES_URL"] == f"https://{name}-es-http:9200"
    volumes = {volume["name"]: volume for volume in job["spec"]["template"]["spec"]["volumes"]}
    assert volumes["certificates"]["secret"]["secretName"] == f"{name}-es-http-certs-public"
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert environment["CITESPAN_ES_CA"] == f"{mounts['certificates']}/ca.crt"
    assert mounts.keys() == volumes.keys()
    claims = {
        volume.get("persistentVolumeClaim", {}).get("claimName") for volume in volumes.values()
    }
    assert documents("load.yml")["PersistentVolumeClaim"]["metadata"]["name"] in claims


def test_the_key_comes_from_a_secret_alone(container: Any) -> None:
    [key] = [variable for variable in container["env"] if variable["name"] == "CITESPAN_ES_API_KEY"]
    assert "value" not in key
    assert key["valueFrom"]["secretKeyRef"] == {"name": "citespan-load", "key": "api-key"}


def test_the_image_is_of_this_version(container: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tag = f"citespan:{project['version']}"
    assert container["image"] == tag
    assert f"--tag {tag} " in (K8S / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("of_citespan", "of_the_job"), [(0, 0), (1, 0), (2, 2), (3, 3), (137, 137)]
)
def test_quarantined_inputs_do_not_make_the_job_fail(
    container: Any, job: Any, tmp_path: Path, of_citespan: int, of_the_job: int
) -> None:
    """The real shell runs the real command; only citespan is another program."""
    program = tmp_path / "citespan"
    told = tmp_path / "told"
    program.write_text(f'#!/bin/sh\necho "$@" > {shlex.quote(str(told))}\nexit {of_citespan}\n')
    program.chmod(0o755)
    done = subprocess.run(
        container["command"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "ARTICLES_EXPECTED": "7"},
        check=False,
    )
    assert done.returncode == of_the_job
    arguments = told.read_text().split()
    assert arguments[:2] == ["index", "/articles"]
    assert arguments[arguments.index("--articles-expected") + 1] == "7"
    [rule] = job["spec"]["podFailurePolicy"]["rules"]
    assert rule["onExitCodes"]["values"] == [2]
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_the_job_uses_options_that_there_are(container: Any) -> None:
    source = (ROOT / "cli" / "index.py").read_text(encoding="utf-8")
    for option in re.findall(r"--([a-z-]+)", container["command"][-1]):
        assert f'"--{option}"' in source or f"    {option.replace('-', '_')}:" in source, option


def test_the_job_has_no_more_rights_than_it_needs(job: Any, container: Any) -> None:
    pod = job["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    # where it writes: its checkpoint, and what archives are unpacked to
    written = {m["mountPath"] for m in container["volumeMounts"] if not m.get("readOnly")}
    assert written == {"/load", "/tmp"}


def test_the_job_talks_to_elasticsearch_alone(job: Any) -> None:
    policy = documents("load.yml")["NetworkPolicy"]["spec"]
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in policy
    server, names = policy["egress"]
    cluster = documents("elasticsearch.yml")["Elasticsearch"]["metadata"]["name"]
    [to] = server["to"]
    assert to["podSelector"]["matchLabels"] == {
        "elasticsearch.k8s.elastic.co/cluster-name": cluster
    }
    assert [port["port"] for port in server["ports"]] == [9200]
    assert {port["port"] for port in names["ports"]} == {53}


def test_the_page_is_served_with_no_more_rights_than_it_needs(container: Any) -> None:
    found = documents("serve.yml")
    pod = found["Deployment"]["spec"]["template"]
    [page] = pod["spec"]["containers"]
    assert page["image"] == container["image"]
    assert page["securityContext"] == container["securityContext"]
    assert page["resources"]["limits"]["memory"]
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    assert {m["mountPath"] for m in page["volumeMounts"] if not m.get("readOnly")} == {"/tmp"}
    secret = {variable["name"] for variable in page["env"] if "valueFrom" in variable}
    assert secret == {"CITESPAN_ES_API_KEY", "CITESPAN_SERVE_TOKEN"}
    here = {variable["name"]: variable.get("value") for variable in page["env"]}
    there = {variable["name"]: variable.get("value") for variable in container["env"]}
    for name in ("CITESPAN_ES_URL", "CITESPAN_ES_CA"):
        assert here[name] == there[name]
    for kind in ("NetworkPolicy", "Service"):
        spec = found[kind]["spec"]
        chosen = spec.get("selector") or spec["podSelector"]["matchLabels"]
        assert chosen == pod["metadata"]["labels"]
    server, names = found["NetworkPolicy"]["spec"]["egress"]
    assert [server, names] == documents("load.yml")["NetworkPolicy"]["spec"]["egress"]


def test_probes_ask_for_what_the_page_has_without_a_token() -> None:
    [page] = documents("serve.yml")["Deployment"]["spec"]["template"]["spec"]["containers"]
    asked = {
        page[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "readiness", "liveness")
    }
    assert asked == {"/assets/page.css"}
    assert (ROOT / "serve" / "assets" / "page.css").is_file()
    arguments = page["command"]
    [port] = page["ports"]
    assert arguments[:2] == ["citespan", "serve"]
    assert arguments[arguments.index("--port") + 1] == str(port["containerPort"])


def test_kibana_runs_without_rights() -> None:
    pod = documents("kibana.yml")["Kibana"]["spec"]["podTemplate"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    [kibana] = pod["containers"]
    assert kibana["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("role", ["load", "search", "operate"])
def test_roles_name_citespans_indices_alone(role: str) -> None:
    body = json.loads((ROOT / "deploy" / "roles" / f"{role}.json").read_text(encoding="utf-8"))
    assert body.keys() == {"cluster", "indices"}
    for part in body["indices"]:
        assert all(name.startswith("citespan-") for name in part["names"])
        assert "all" not in part["privileges"]
