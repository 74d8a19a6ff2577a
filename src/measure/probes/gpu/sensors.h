/* The condition of a device while it works, read during measurements: clocks, power and temperature
 * as it reports them (NVML), and whether and why it slowed its clock. */
#ifndef FATHOM_MEASURE_PROBES_GPU_SENSORS_H
#define FATHOM_MEASURE_PROBES_GPU_SENSORS_H

#include "measure/probes/gpu/gpu.h"

/* What the sensors read with one trial of one point. */
struct gpu_sensor_reading {
    struct plan_point point;
    struct gpu_sensors sensors;
};

/* Clock, memory clock, power and temperature: as sensors.c lists them. */
enum { GPU_QUANTITIES = 4 };

struct gpu_span {
    bool known;
    double least, most;
};

struct gpu_log {
    /* since the device was started */
    struct gpu_span spans[GPU_QUANTITIES];
    uint64_t throttle; /* all reasons there were */

    /* of the experiment that is running */
    struct gpu_sensor_reading *list; /* in the pool */
    size_t count;
    double next_s; /* no earlier, in the time of the plan, unless the point lacks any */
    const struct plan_point *points; /* of the plan whose time this is */
    bool *has;                       /* [points]: need not be asked about once more */
};

/* A new plan begins. */
void gpu_log_begin(struct gpu_log *, const struct plan *, struct pool *);
/* Asks the device right after a trial was kept, unless it was asked a moment ago: the question
 * takes the driver a millisecond or more. Does nothing where the backend does not report it. */
void gpu_log_note(struct gpu_log *, const struct gpu_backend *, struct gpu *,
                  const struct observation *, struct pool *);
/* Flags the points of task->plan.series from gpu_task.first_series on beside which the clock was
 * slowed (FLAG_THROTTLED). */
void gpu_log_flag(const struct gpu_log *, const struct gpu_task *);
/* Adds companions of those curves: "gpu0 latency: clock" and "...: memory clock" in Hz, "...:
 * power" in W and "...: temperature" in degrees Celsius over the same x, as far as the device
 * reported them, with the measured series' factors. Then forgets all but the spans and reasons.
 */
void gpu_log_conclude(struct gpu_log *, const struct gpu_task *);
/* The device is done: if it reported anything, adds the finding "gpu0.condition", whose text gives
 * the range of each reading, for curves and matrices alike, and what slowed the clock. Then forgets
 * everything. */
void gpu_log_end(struct gpu_log *, struct gpu_task *);

#endif
