/* What makes CPUs a group; conclude/clusters/cluster.h explains each. */
#pragma once

enum cluster_basis { CLUSTER_NEAR, CLUSTER_ALIKE, CLUSTER_KIND };
