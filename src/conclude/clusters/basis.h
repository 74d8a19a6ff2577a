/* What makes CPUs a group; conclude/clusters/cluster.h explains each. */
#ifndef FATHOM_CONCLUDE_CLUSTERS_BASIS_H
#define FATHOM_CONCLUDE_CLUSTERS_BASIS_H

enum cluster_basis { CLUSTER_NEAR, CLUSTER_ALIKE, CLUSTER_KIND };

#endif
