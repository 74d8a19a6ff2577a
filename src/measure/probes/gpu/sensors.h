/* The condition of a device during measurements, as NVML reports it: clocks, power and temperature,
 * and whether and why the clock was slowed. */
#pragma once

#include "measure/probes/gpu/gpu.h"

/* The sensors' values after one trial of a point. */
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
    uint64_t throttle; /* all throttle reasons seen */

    /* of the experiment that is running */
    struct gpu_sensor_reading *list; /* in the pool */
    size_t count;
    double next_s; /* the next reading's earliest time in the plan; a point without a reading does
                      not wait */
    const struct plan_point *points; /* of the current plan */
    bool *has;                       /* [points]: the point needs no reading of its own */
};

/* A new plan begins. */
void gpu_log_begin(struct gpu_log *, const struct plan *, struct pool *);
/* Reads the sensors right after a trial was kept, unless they were read a moment ago, because a
 * reading takes the driver a millisecond or more. Does nothing if the backend has no sensors. */
void gpu_log_note(struct gpu_log *, const struct gpu_backend *, struct gpu *,
                  const struct observation *, struct pool *);
/* Flags points of task->plan.series, from gpu_task.first_series on, that were measured with a
 * slowed clock (FLAG_THROTTLED). */
void gpu_log_flag(const struct gpu_log *, const struct gpu_task *);
/* Adds companions of these curves, over the same x and with the same factors, of the values that
 * the device reported: "gpu0 latency: clock" and "...: memory clock" in Hz, "...: power" in W and
 * "...: temperature" in degrees Celsius. Then forgets all but the spans and reasons. */
void gpu_log_conclude(struct gpu_log *, const struct gpu_task *);
/* To be called after a device's last experiment. If the device reported anything, adds the finding
 * "gpu0.condition"; its text has the range of each reading, for curves and matrices, and what
 * slowed the clock. Then forgets everything. */
void gpu_log_end(struct gpu_log *, struct gpu_task *);
