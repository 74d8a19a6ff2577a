/* A libnvidia-ml.so.1 that lacks calls, as one of another age would: it knows every device, and of
 * it the power alone. */
int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    static int any;
    *device = &any;
    return 0;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = 77000;
    return 0;
}
