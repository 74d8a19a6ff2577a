"""ReFrame's regression test of every node's memory by fathom (https://reframe-hpc.readthedocs.io).

    reframe -c fathom_check.py -r --performance-report

Each node is a test of its own; its values are performance variables, which ReFrame logs and compares with a
system's references. Given the document of a fleet (-S FathomCheck.fleet=/path/fleet.json), the node is judged
by its own group in place of references that somebody would have to keep.
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_after, run_before, sanity_function, variable

# The findings that are performance variables, with their units as documents have them.
FINDINGS = {
    "L1.latency": "cycles", "L2.latency": "cycles", "L3.latency": "cycles", "DRAM.latency_ns": "ns",
    "bandwidth.read.1": "B/s", "bandwidth.read.all": "B/s", "core.clock": "Hz",
}


def values_of(path):
    """The value of each finding; of a former version's document the one without interference."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    found = {}
    for probe in document["probes"]:
        for finding in probe.get("findings", []):
            if "value" in finding and finding["name"] not in found:
                found[finding["name"]] = finding.get("quiet", finding)["value"]
    return found


@rfm.simple_test
class FathomCheck(rfm.RunOnlyRegressionTest):
    descr = "the depth of a node's memory"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "fathom"
    num_tasks = 1
    num_tasks_per_node = 1
    exclusive_access = True
    time_limit = "10m"
    mode = parameter(["quick"])
    fleet = variable(str, value="")
    document = "fathom.json"

    @run_after("init")
    def choose_options(self):
        self.executable_opts = ["run", f"--{self.mode}", "-o", self.document]
        # fathom ends with 4 where a value is in doubt, which the document says by its flags.
        self.postrun_cmds = [f"fathom check --against {self.fleet} {self.document}; echo \"check: $?\""] \
            if self.fleet else []

    @run_before("run")
    def leave_cpus_unbound(self):
        if self.job.launcher.registered_name == "srun":
            self.job.launcher.options += ["--cpu-bind=none"]

    @sanity_function
    def assert_document(self):
        whole = sn.assert_true(os.path.getsize(os.path.join(self.stagedir, self.document)) > 0)
        if not self.fleet:
            return whole
        return sn.all([whole, sn.assert_not_found(r"^check: [123]$", self.stdout,
                                                  msg="the node is worse than its peers")])

    @run_before("performance")
    def set_performance_variables(self):
        values = values_of(os.path.join(self.stagedir, self.document))
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(values[name]), unit)
            for name, unit in FINDINGS.items() if name in values
        }
