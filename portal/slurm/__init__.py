"""Work on partitions of a Slurm cluster: our queue decides, Slurm gets what may start.

A pool is a partition, a node is one of Slurm's whose GPUs are counted. A round reads what the cluster
knows, reports it as agents do, and acts on the replies:

values, names    what is said of a cluster, and by which names jobs are found again     (pure)
reading          rows of `sinfo`, `squeue` and `sacct`                                  (pure)
words            Slurm's states and reasons in the portal's words                       (pure)
judging          what the cluster shows of the portal's jobs, as reports of nodes       (pure)
planning         what is to be submitted and stopped, by the replies                    (pure)
script           one attempt as a batch script and the options of `sbatch`              (pure)
commands, client commands of Slurm, here or over ssh
records, nodes   rows of jobs, nodes and their cards
rounds           one round of one pool
"""
