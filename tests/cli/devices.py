"""`fathom gpu` as a person types it: on a modelled device, on OpenCL's CPU, and linked with neither."""
import json
import os
import subprocess

from measured import IMPOSSIBLE, against_schema, check, measured, says_no_time, with_time
from place import Skip


def stand_in(here, model="tiny"):
    """The environment that puts the stand-in in the driver's place."""
    library = here.program.parent / "tests" / "gpu" / "stand_in" / "cuda-model.so"
    if not library.exists():
        raise Skip("the stand-in driver was not built")
    return f"FATHOM_LIBCUDA={library} FATHOM_LIBNVML={library} FATHOM_GPU_MODEL={model}"


def points_of(document):
    return [point for series in document["probes"][0]["series"] for point in series["points"]
            if "failed" not in point]


def modelled_device(here):
    """Everything works, and the report says first that no hardware was measured."""
    result = with_time(here, f"{stand_in(here)} fathom gpu --what latency --sizes 8K,4M --path l1 "
                             "--order random -o gpu.json")
    document = json.loads((result.folder / "gpu.json").read_text())
    points = points_of(document)
    complaints = measured(document) + check(
        (document["machine"]["gpus"][0]["modelled"] is True, f"{document['machine']['gpus']}"),
        ("MODELLED" in result.out, result.out),
        (all("modelled" in point["flags"] for point in points), "a point is not flagged"))
    if says_no_time(result.out):
        return complaints
    curve = document["probes"][0]["series"][0]["points"]
    cycles = [point["cycles"]["median"] for point in curve]
    # By the stand-in's README the tiny device has 30 cycles in L1 and 500 in DRAM.
    return complaints + check((abs(cycles[0] / 30 - 1) < 0.01 and abs(cycles[1] / 500 - 1) < 0.01,
                               f"{cycles} cycles in L1 and DRAM"))


def prohibited_device(here):
    """`fathom doctor` says beforehand why `gpu` would fail."""
    model = stand_in(here, "tiny,compute_mode=2")
    why = "computing is prohibited on it: nvidia-smi -i 0000:10:00.0 -c DEFAULT"
    status, shown, _ = here.run(f"{model} fathom doctor", here.folder())
    failed, said, _ = here.run(f"{model} fathom gpu --budget 5", here.folder())
    return check((status == 0 and f"it can't be measured: {why}" in " ".join(shown.split())
                  and max(map(len, shown[shown.index("it can't be"):].splitlines()[:2])) <= 80, shown),
                 (failed == IMPOSSIBLE and why in " ".join(said.split()), said))


def nothing_it_can(here):
    """What a device can't do is no failure; it is reported once, with the device's name."""
    model = stand_in(here, "tiny,cluster_most=1,capability=75")
    status, said, _ = here.run(f"{model} fathom gpu --what cluster --budget 5", here.folder())
    words = " ".join(said.split())
    return check((status == IMPOSSIBLE, f"exit status {status}"),
                 ("NOT MEASURED gpu (gpu0 cluster: needs an NVIDIA device of capability" in words
                  and words.count("gpu0 cluster") == 1 and "failed" not in words, said),
                 ("gpu0 modelled GPU (tiny)" in words, said))


def opencl_cpu(here):
    """OpenCL whose only device is a CPU: measured only on request, and reported as a CPU."""
    # Drivers' compilers leak, which is not tested here.
    result = with_time(here, "ASAN_OPTIONS=detect_leaks=0 fathom gpu --backend opencl --what latency "
                             "--sizes 4K,64K --order random -o gpu.json")
    document = json.loads((result.folder / "gpu.json").read_text())
    if document["probes"][0]["status"] == "skipped":
        raise Skip(document["probes"][0]["reason"])
    device = document["machine"]["gpus"][0]
    # On a busy CPU a long chain may take no longer than a short one: the point then fails and says so.
    return against_schema(document) + check(
        (device["backend"] == "opencl", f"{device}"),
        (device.get("kind") != "cpu" or "a CPU" in result.out, result.out),
        (points_of(document) or document["probes"][0].get("reason"), result.out))


def nothing_is_linked(here):
    """The program starts without any library of a GPU."""
    done = subprocess.run(["ldd", str(here.program)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skip(f"ldd: {done.stderr.strip()}")
    found = [line for line in done.stdout.splitlines()
             if any(name in os.path.basename(line.split()[0]).lower()
                    for name in ("cuda", "opencl", "nvidia"))]
    return check(("libc" in done.stdout, done.stdout), (not found, f"{found}"))


def tests():
    return [
        ("gpu on a modelled device", modelled_device),
        ("doctor reports a device that may not be used", prohibited_device),
        ("gpu: what the device lacks is no failure", nothing_it_can),
        ("gpu on OpenCL's CPU", opencl_cpu),
        ("gpu: no library is linked", nothing_is_linked),
    ]
