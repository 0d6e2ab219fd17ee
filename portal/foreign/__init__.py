"""What the back ends have in common that hand work to a cluster of the site: Slurm, Kubernetes.

Each takes a pool, whose nodes it describes with counted GPUs, and goes through rounds: it reads what the cluster
knows, reports it as agents do, and acts on the replies.

models, rounds      how a pool reaches its cluster, and one round at a time of it
nodes, reporting    nodes of the cluster as rows, and their reports
attempts            which attempt a name is, what a reply names of it, what work needs beyond the back end
environment         variables of a rank that every back end sets
joining             a pool becomes a part of a cluster once nothing speaks against it
bounds              limits that all of them keep
streams             that there is no way into what runs there
"""
