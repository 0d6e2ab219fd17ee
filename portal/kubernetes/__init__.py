"""Work on nodes of a Kubernetes cluster: our queue decides, Kubernetes runs plain pods bound to their nodes.

A pool is a namespace and some nodes whose GPUs are counted. A round lists what there is, reports it as agents
do, and acts on the replies. A pod is the record of its attempt, until its end has been processed:

values, names    what is said of a cluster, and by which names pods are found again     (pure)
reading          objects of the API                                                     (pure)
judging          what the pods show, as reports of nodes                                (pure)
planning         what is to be created, stopped and released, by the replies            (pure)
manifest         one rank of an attempt as a pod                                        (pure)
logs             what is new in a log that can only be asked for by time                (pure)
access           how a cluster is reached, from a kubeconfig                            (pure)
transport, client requests to the API server
records          rows of clusters, and how far logs were read
rounds           one round of one pool
"""
