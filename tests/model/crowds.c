#include "crowds.h"

#include "base/random.h"
#include "machines.h"

#include <math.h>

const char *const crowd_kind_names[CROWD_KINDS] = {
    "the CPU's time", "the core's pace", "ways of L1",      "ways of L2",
    "TLB entries",    "room in L3",      "DRAM's bandwidth"};
const char *const crowd_course_names[3] = {"two states", "bursts", "drift"};
const double crowd_shares[CROWD_SHARES] = {0, 0.25, 0.5, 0.75, 0.9};

static const uint64_t crowd_salt = 0x6e65696768626f75;

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static double scaled(struct random *random, double low, double high)
{
    return low * pow(high / low, random_unit(random));
}

static void take_also(struct random *random, struct neighbour_takes *takes, enum crowd_kind kind)
{
    switch (kind) {
    case CROWD_TIME:
        takes->time = between(random, 0.2, 0.8);
        break;
    case CROWD_PACE: /* a thread of the same core: hardly to twice as long */
        takes->pace = between(random, 0.05, 1);
        break;
    case CROWD_FIRST_WAYS:
        takes->ways[0] = between(random, 0.2, 0.8);
        break;
    case CROWD_SECOND_WAYS:
        takes->ways[1] = between(random, 0.2, 0.8);
        break;
    case CROWD_ENTRIES:
        takes->entries = between(random, 0.2, 0.8);
        break;
    case CROWD_ROOM:
        takes->room = between(random, 0.2, 0.9);
        break;
    default:
        takes->traffic = between(random, 0.1, 1.5);
    }
}

/* Stays last from tens of microseconds (another thread's bursts) over milliseconds (a hypervisor's
 * time slices) to seconds (jobs). */
static struct model_neighbour choose(struct random *random, const struct crowd *crowd,
                                     unsigned cpus)
{
    const double most = crowd_shares[crowd->share], least = crowd_shares[crowd->share - 1];
    struct model_neighbour neighbour = {
        .course = crowd->course, .share = between(random, fmax(least, 0.03), most), .cpus = 1};
    neighbour.busy_s = crowd->course == TWO_STATE ? scaled(random, 30e-6, 1)
                       : crowd->course == BURSTY  ? scaled(random, 10e-3, 1)
                                                  : scaled(random, 1, 20);
    neighbour.burst_s = scaled(random, 20e-6, 5e-3);
    const unsigned on = 1 + (unsigned)random_below(random, cpus);
    neighbour.cpus = (1u << on) - 1; /* the first one measures */
    take_also(random, &neighbour.takes, crowd->kind);
    return neighbour;
}

struct crowd machine_crowded(struct model_machine *machine, uint64_t seed)
{
    struct random random = {seed ^ crowd_salt};
    /* Of every second machine the first level's ways are far enough apart to be found. */
    uint64_t of_machine = seed;
    do
        machine_random(machine, of_machine);
    while (seed % 2 && machine->caches[0].bytes / machine->caches[0].ways < 2048 &&
           (of_machine += UINT64_C(1) << 32));
    const uint64_t turn = seed / CROWD_SHARES;
    struct crowd crowd = {.share = (unsigned)(seed % CROWD_SHARES),
                          .kind = (enum crowd_kind)(turn % CROWD_KINDS),
                          .course = (enum neighbour_course)(turn / CROWD_KINDS % 3)};
    machine->cpus = 1 + (unsigned)random_below(&random, MODEL_CPUS_MAX);
    if (machine->level_count < 3 && crowd.kind == CROWD_ROOM)
        crowd.kind = CROWD_SECOND_WAYS;
    /* What only ever takes is the neighbours' part here. */
    machine->noise.slow_share = machine->noise.neighbour_share = machine->noise.far_share = 0;
    if (crowd.share == 0)
        return crowd;
    machine->neighbours[0] = choose(&random, &crowd, machine->cpus);
    if (random_unit(&random) < 0.4)
        take_also(&random, &machine->neighbours[0].takes,
                  (enum crowd_kind)random_below(&random, CROWD_KINDS));
    return crowd;
}
