import pytest
from pathlib import Path
from portal.slurm.commands import ShellCommands
from tests.slurm.site import *
pytestmark=[pytest.mark.django_db(transaction=True)]
def test_it(redis_url, set_site, tmp_path):
    set_site(storage_dir=tmp_path)
    w=Path('/tmp/slurm/c1/work')
    site=a_slurm_site(ShellCommands(conf='/tmp/slurm/c1/slurm.conf'), w)
    print([ (n.name,n.state,n.accelerators.count(), n.cpu_milli) for n in site.scene.nodes])
    job=site.work(gpus=2)
    site.start(job)
    print(site.job(job).__dict__, site.live())
    site.end(job, 7)
    site.until(job, 'failed')
    print(job.exit_code, job.cause, job.__dict__)
    print(list(tmp_path.rglob('*.log')), [x.read_text() for x in tmp_path.rglob('*.log')])
    gang=site.work(replicas=2, gpus=1)
    site.start(gang)
    print(site.live())
    [one, two]=site.scene.held(gang)
    site.end(gang, 0, 0); site.end(gang, 0, 1)
    site.until(gang,'succeeded')
    print([x.read_text() for x in tmp_path.rglob('*.log')])
