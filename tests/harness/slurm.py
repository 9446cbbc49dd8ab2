# SPDX-License-Identifier: MIT
"""A Slurm of one node, in a folder: its controller and its daemon, on the loopback, with a key of their own."""
import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager

from harness.suite import kill_group

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'sinfo', 'scancel')
START_S = 60
NODE = 'node'
CONF = """ClusterName=clipfree
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=10
NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


def lacking():
   """Programs that are not installed."""
   path = os.pathsep.join((os.environ['PATH'], '/usr/sbin', '/sbin'))
   return [name for name in PROGRAMS if not shutil.which(name, path=path)]


def free_ports(count):
   """Ports of the loopback that nobody has."""
   with ExitStack() as open_sockets:
      sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
      for one in sockets:
         one.bind(('127.0.0.1', 0))
      return [one.getsockname()[1] for one in sockets]


def write_files(folder):
   for part in ('state', 'spool'):
      (folder / part).mkdir()
   key = folder / 'munge.key'
   key.write_bytes(os.urandom(1024))
   key.chmod(0o600)
   # no groups are used, but the daemon starts a plugin of them; that of version 2 needs systemd
   (folder / 'cgroup.conf').write_text('CgroupPlugin=cgroup/v1\n')
   conf = folder / 'slurm.conf'
   conf.write_text(CONF.format(folder=folder, ports=free_ports(2), user=getpass.getuser(), cpus=os.cpu_count(),
                               node=NODE))
   return conf


def until(what, holds):
   """Wait until something holds."""
   end = time.monotonic() + START_S
   while not holds():
      if time.monotonic() > end:
         raise RuntimeError(f'{what} did not start within {START_S} s')
      time.sleep(0.2)


@contextmanager
def daemon(command, env, log):
   """A program that runs meanwhile."""
   with open(log, 'wb') as output:
      process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                 start_new_session=True)
   try:
      yield process
   finally:
      process.terminate()
      try:
         process.wait(timeout=20)
      except subprocess.TimeoutExpired:
         kill_group(process)
         process.wait()


def is_idle(env):
   done = subprocess.run(['sinfo', '-h', '-o', '%T'], env=env, capture_output=True, text=True, check=False)
   return done.stdout.strip() == 'idle'


@contextmanager
def one_node(folder):
   """Gives the environment of its users. The folder is empty, and no one else's; its name is short, for sockets."""
   conf = write_files(folder)
   env = os.environ | {'SLURM_CONF': str(conf), 'PATH': f'{os.environ["PATH"]}:/usr/sbin:/sbin'}
   with ExitStack() as daemons:
      daemons.enter_context(daemon(
         ['munged', '--foreground', '--force', f'--socket={folder}/munge.socket', f'--key-file={folder}/munge.key',
          f'--pid-file={folder}/munged.pid', f'--seed-file={folder}/munged.seed', f'--log-file={folder}/munged.log'],
         env, folder / 'munged.out'))
      until('munged', (folder / 'munge.socket').exists)
      daemons.enter_context(daemon(['slurmctld', '-D', '-i', '-f', conf], env, folder / 'slurmctld.out'))
      daemons.enter_context(daemon(['slurmd', '-D', '-N', NODE, '-f', conf], env, folder / 'slurmd.out'))
      until('Slurm', lambda: is_idle(env))
      yield env
