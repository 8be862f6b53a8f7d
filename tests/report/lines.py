r"""Three hundred lines of logs, command lines and settings of people who work with others.

Marked as in kinds.py: what stands between ⟦ and ⟧ must not be in the report. None is a real
secret. Then a hundred lines beside them that hold none and must stay as they are.
"""

LINES = r"""
DB_PASS=⟦zqgeheim7⟧
SMTP_PASS='⟦zqgeheim7⟧'
RABBITMQ_DEFAULT_PASS: ⟦zqgeheim7⟧
db.pass=⟦zqgeheim7⟧
ftp_pw=⟦zqgeheim7⟧
creds=⟦qkimura⟧:⟦zqgeheim7⟧
mytool --pass ⟦zqgeheim7⟧
mytool --db-pass ⟦zqgeheim7⟧ go
docker run -e DB_PASS=⟦zqgeheim7⟧ img
{"user": "a", "pass": "⟦zqgeheim7⟧"}
⟦MTIzNDU2Nzg5.GhZqXy.abcDEFghiJKLmnoPQRstuVWXyz0123⟧
gpu01 Sat Nov 21 10:00:01 python3/4711(⟦qkimura⟧)
COMMAND PID USER FD: python 4711 ⟦qkimura⟧ mem REG
4711 gpu train ⟦qkimura⟧ R 1:00 1 ⟦zqnode⟧
⟦qkimura⟧:x:1000:1000:⟦Q Kimura⟧:/home/⟦qkimura⟧:/bin/bash
Owner : ⟦CORPZQ⟧\⟦qkimura⟧
ldap uid=⟦qkimura⟧
C:\ProgramData\⟦Zorblax⟧\cuda
module load ⟦zorblax⟧/cudnn
remote=⟦10.11.12.13⟧
x-forwarded-for: ⟦10.11.12.13⟧
serial,⟦1322621000123⟧
NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=⟦zorblaxd⟧, Ch 00000008
TF_CONFIG={"cluster": {"worker": ["⟦zqhost1⟧:2222", "⟦zqhost2⟧:2222"], "ps": ["⟦zqps0⟧:2222"]}, "task": {"type": "worker", "index": 0}}
TF_CONFIG={"cluster": {"chief": ["⟦zqhost⟧"]}}
TF_CONFIG: {'cluster': {'worker': ['⟦zqhost1⟧:2222']}}
{\"cluster\": {\"worker\": [\"⟦zqhost1⟧:2222\"]}}
Initialize GrpcChannelCache for job worker -> {0 -> localhost:2001, 1 -> ⟦zqhost2⟧:2002}
Initialize GrpcChannelCache for job ps -> {0 -> ⟦10.3.0.40⟧:5000}
Started server with target: grpc://⟦zqhost1⟧:2222
ClusterSpec({'worker': ['⟦zqhost1⟧:2222', '⟦zqhost2⟧:2222']})
MASTER_ADDR=⟦zqhost⟧
export MASTER_ADDR=⟦zqhost⟧ MASTER_PORT=29500
os.environ['MASTER_ADDR'] = '⟦zqhost⟧'
os.environ["MASTER_ADDR"]="⟦zqhost⟧"
$env:MASTER_ADDR = "⟦zqhost⟧"
torchrun --nnodes=2 --master_addr ⟦zqhost⟧ --master_port 29500 train.py
torchrun --nnodes=2 --master_addr=⟦zqhost⟧ train.py
torchrun --master-addr ⟦zqhost⟧ train.py
torchrun --rdzv_backend=c10d --rdzv_endpoint ⟦zqhost⟧:29500 train.py
torchrun --rdzv-endpoint=⟦zqhost⟧:29500 train.py
rdzv_endpoint : ⟦zqhost⟧:29500
  master_addr      : ⟦zqhost⟧
  local_addr       : ⟦zqhost⟧
dist.init_process_group("nccl", init_method="tcp://⟦zqhost⟧:23456")
init_method='tcp://⟦zqhost⟧:23456', rank=0
The client socket has failed to connect to [⟦zqhost⟧]:29500 (errno: 110 - Connection timed out).
[c10d] The IPv6 network addresses of (⟦zqhost⟧, 29500) cannot be retrieved (gai error: -2 - Name or service not known).
[c10d] The client socket has failed to connect to any network address of (⟦zqhost⟧, 29500).
[c10d] The client socket will attempt to connect to an IPv6 address of (⟦card-16-final-master-0⟧, 23456).
The server socket on [::]:23456 has accepted a connection from [⟦zqnode⟧]:54406.
TCP client failed to connect/validate to host ⟦zqhost⟧:29500 - retrying
⟦zqnode⟧:2744870:2744870 [0] NCCL INFO Bootstrap : Using ens7:⟦10.128.0.32⟧<0>
⟦instance-8g-96c-3⟧:2744870:2745046 [0] NCCL INFO NET/IB : No device found.
[0] ⟦zqnode⟧:2744870:2744870 [0] NCCL WARN Cuda failure 'initialization error'
NCCL WARN Net : Connect to ⟦zqnode⟧<43210> failed : Connection refused
socketStartConnect: Connect to ⟦zqnode⟧<43210> failed
Call to connect to ⟦zqnode⟧<51234> failed : Software caused connection abort
[gloo] Rank 0 is connected to 1 peer ranks, host ⟦zqnode⟧<0>
connect from ⟦zqnode⟧<0> to ⟦zqhost⟧<0>
RuntimeError: Unable to resolve hostname ⟦zqhost⟧
socket.gaierror: [Errno -2] Name or service not known: '⟦zqhost⟧'
Could not resolve host: ⟦zqhost⟧
ssh: connect to host ⟦zqhost⟧ port 22: Connection refused
ssh: Could not resolve hostname ⟦zqhost⟧: Name or service not known
Connecting to ⟦zqhost⟧ (⟦zqhost⟧)|⟦10.11.12.13⟧|:443
horovodrun -np 4 -H ⟦zqhost1⟧:2,⟦zqhost2⟧:2 python train.py
mpirun -np 4 --host ⟦zqhost1⟧,⟦zqhost2⟧ python train.py
mpirun --hosts ⟦zqhost1⟧,⟦zqhost2⟧ python
deepspeed --include="⟦zqnode1⟧:0,1@⟦zqnode2⟧:2" train.py
accelerate launch --main_process_ip ⟦zqhost⟧ --main_process_port 29500 train.py
main_process_ip: ⟦zqhost⟧
ray start --address=⟦zqhost⟧:6379
ray start --address ⟦zqhost⟧:6379
RAY_ADDRESS=⟦zqhost⟧:6379
jax.distributed.initialize(coordinator_address="⟦zqhost⟧:1234", num_processes=2)
JAX_COORDINATOR_ADDRESS=⟦zqhost⟧:1234
mysql -u root -p⟦ZQgeheim7⟧ falcon
mysql -uroot -p⟦zqgeheim⟧ -h ⟦zqdb⟧ falcon
mysqldump --user=⟦qkimura⟧ -p'⟦zq geheim⟧' x
mysql -u ⟦qkimura⟧ -p falcon
smbclient //⟦zqfiler⟧/⟦zqshare⟧ -U ⟦qkimura⟧%⟦zqgeheim⟧
smbclient -U '⟦CORPZQ\qkimura⟧%⟦zqgeheim⟧' -L x
smbclient -U⟦qkimura⟧%⟦zqgeheim⟧ -L x
curl -u ⟦qkimura⟧:⟦zqgeheim⟧ -O x
curl -s -u⟦qkimura⟧:⟦zqgeheim⟧ -O x
curl -u root:⟦zqgeheim⟧ -O x
curl -u 'root:⟦zq geheim⟧' -O x
sshpass -p '$⟦zqgeheim⟧' ssh x
mysql -uroot -p'$⟦zqgeheim⟧' x
mysql -uroot -p⟦base64zq⟧ x
curl --user ⟦qkimura⟧:⟦zqgeheim⟧ -O x
curl --user=⟦qkimura⟧:⟦zqgeheim⟧ -O x
curl -U ⟦qkimura⟧:⟦zqgeheim⟧ -x ⟦proxyzq⟧:3128 -O x
curl --proxy-user ⟦qkimura⟧:⟦zqgeheim⟧ -O x
curl -x ⟦proxyzq⟧:3128 -O x
curl --proxy ⟦proxyzq⟧:3128 -O x
curl -H "Authorization: Bearer ⟦zqgeheim⟧" -O x
curl -H "PRIVATE-TOKEN: ⟦zqgeheim⟧" -O x
sshpass -p ⟦zqgeheim⟧ ssh x
sshpass -p⟦zqgeheim⟧ ssh x
sshpass -p '⟦zq geheim⟧' ssh x
wget --http-user=⟦qkimura⟧ --http-password=⟦zqgeheim⟧ x
wget --user ⟦qkimura⟧ --password ⟦zqgeheim⟧ x
mysql --password=⟦zqgeheim⟧ x
x --password="⟦zq geheim⟧" y
x --password '⟦zq geheim⟧' y
x --token ⟦zqgeheim⟧ y
x --auth-token=⟦zqgeheim⟧ y
PGPASSWORD=⟦zqgeheim⟧ psql -U ⟦qkimura⟧ -h ⟦zqdb⟧ falcon
PGPASSWORD='⟦zq geheim⟧' psql
docker login -u ⟦qkimura⟧ -p ⟦zqgeheim⟧ ⟦zqregistry.example⟧
docker login --username ⟦qkimura⟧ --password ⟦zqgeheim⟧
net use Z: \\⟦zqfiler⟧\⟦zqshare⟧ /user:⟦CORPZQ\qkimura⟧ ⟦zqgeheim⟧
net use Z: \\⟦zqfiler⟧\⟦zqshare⟧ ⟦zqgeheim⟧ /user:⟦qkimura⟧
runas /user:⟦CORPZQ\qkimura⟧ cmd
cmdkey /add:⟦zqhost⟧ /user:⟦qkimura⟧ /pass:⟦zqgeheim⟧
xfreerdp /v:⟦zqhost⟧ /u:⟦qkimura⟧ /p:⟦zqgeheim⟧
psexec \\⟦zqhost⟧ -u ⟦qkimura⟧ -p ⟦zqgeheim⟧ cmd
plink -ssh ⟦qkimura⟧@⟦zqhost⟧ -pw ⟦zqgeheim⟧
redis-cli -h ⟦zqhost⟧ -a ⟦zqgeheim⟧
mongo -u ⟦qkimura⟧ -p ⟦zqgeheim⟧ x
mosquitto_pub -u ⟦qkimura⟧ -P ⟦zqgeheim⟧
openssl enc -pass pass:⟦zqgeheim⟧
7z x -p⟦zqgeheim⟧ cudnn.7z
unzip -P ⟦zqgeheim⟧ cudnn.zip
ldapsearch -w ⟦zqgeheim⟧ -D x
echo ⟦zqgeheim⟧ | sudo -S apt install cudnn
echo '⟦zqgeheim⟧' | docker login --password-stdin
scp x.whl ⟦zqhost⟧:/data
rsync -av x ⟦zqhost⟧::falcon
wandb login ⟦0123456789abcdef0123456789abcdef01234567⟧
huggingface-cli login --token ⟦hf_QwErTyUiOpAsDfGhJkLz⟧
SLURM_JOB_NODELIST=⟦zqnode[01-04]⟧
SLURM_NODELIST=⟦zqnode01⟧
SLURMD_NODENAME=⟦zqnode01⟧
SLURM_LAUNCH_NODE_IPADDR=⟦10.1.2.3⟧
SLURM_TOPOLOGY_ADDR=⟦zqnode01⟧
SLURM_CLUSTER_NAME=⟦zqcluster⟧
SLURM_JOB_ACCOUNT=⟦zqgroup⟧
SLURM_JOB_PARTITION=⟦zqpart⟧
SLURM_JOB_NAME=⟦falconproj⟧
SLURM_SUBMIT_DIR=/home/⟦qkimura⟧/⟦falconproj⟧
srun: error: ⟦zqnode01⟧: task 0: Exited with exit code 1
srun: error: ⟦zqnode[01-04]⟧: tasks 0-3: Killed
slurmstepd: error: *** JOB 4711 ON ⟦zqnode01⟧ CANCELLED AT 2026-11-21T10:00:01 DUE TO TIME LIMIT ***
slurmstepd: error: *** STEP 4711.0 ON ⟦zqnode01⟧ CANCELLED AT 2026-11-21T10:00:01 ***
sbatch --account=⟦zqgroup⟧ --partition=gpu x.sh
#SBATCH --account=⟦zqgroup⟧
#SBATCH -A ⟦zqgroup⟧
#SBATCH --mail-user=⟦qkimura@zorblax.example⟧
#SBATCH --job-name=⟦falconproj⟧
srun -w ⟦zqnode01⟧ nvidia-smi
srun --nodelist=⟦zqnode01⟧ nvidia-smi
PBS_O_HOST=⟦zqnode01⟧
LSB_HOSTS=⟦zqnode01⟧ ⟦zqnode02⟧
origin	https://⟦qkimura⟧:⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧@github.com/⟦zorblax/falcon⟧.git (fetch)
origin	git@github.com:⟦zorblax/falcon⟧.git (fetch)
origin  ⟦zqgit⟧:⟦zorblax/falcon⟧.git (push)
pip install git+https://oauth2:⟦glpat-zqzqzqzqzqzqzqzqzqzq⟧@gitlab.com/⟦zorblax/falcon⟧
pip install git+https://gitlab.com/⟦zorblax/falcon⟧.git
bitbucket.org/⟦zorblax/falcon⟧
https://dev.azure.com/⟦zorblax⟧/⟦falcon⟧/_git/x
https://huggingface.co/⟦zorblax/falcon-7b⟧
channels: https://CONDA-HOST/t/⟦zq-12345678-abcd⟧/⟦zorblax⟧
https://CONDA-HOST/⟦zorblaxchan⟧/linux-64
conda install -c ⟦zorblaxchan⟧ cudnn
https://⟦zqart.example⟧/artifactory/api/conda/t/⟦zqtoken⟧/falcon
https://repo.anaconda.com/t/⟦zqgeheim77⟧/pkgs/main
--index-url https://⟦qkimura⟧:⟦zqgeheim⟧@⟦pypi.zq⟧/simple
[global] index-url = https://⟦qkimura⟧:⟦zqgeheim⟧@⟦pypi.zq⟧/simple
trusted-host = ⟦pypizq⟧
--trusted-host ⟦pypizq⟧
Looking in indexes: https://PYPI-HOST/simple, https://____:****@⟦pypizq⟧/simple
HTTPSConnectionPool(host='⟦pypizq⟧', port=443): Max retries exceeded with url: /⟦falcon⟧/simple
ProxyError('Cannot connect to proxy.', NewConnectionError('<x>: Failed to establish a new connection to ⟦proxyzq⟧:3128'))
http_proxy=⟦proxyzq⟧:3128
HTTP_PROXY=http://⟦CORPZQ⟧%5C⟦qkimura⟧:⟦zqgeheim⟧@⟦proxyzq⟧:3128
NO_PROXY=localhost,⟦.zorblax.example⟧,⟦zqhost⟧
proxy = ⟦proxyzq⟧:3128
https://zq.s3.amazonaws.com/x?X-Amz-Credential=⟦AKIAIOSFODNN7EXAMPLE⟧%2F20261121&X-Amz-Signature=⟦0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9⟧
AWSAccessKeyId=⟦AKIAIOSFODNN7EXAMPLE⟧&Expires=1&Signature=⟦vjbyPxybdZaNmGa%2ByT272YEAiv4%3D⟧
AWS_PROFILE=⟦zorblaxprod⟧
az://⟦zqcontainer⟧/x
wasbs://⟦zqcontainer⟧@⟦zqacct⟧.blob.core.windows.net/x
hdfs://⟦zqnamenode⟧:8020/⟦falcon⟧
WANDB_ENTITY=⟦zorblaxteam⟧
WANDB_PROJECT=⟦falconproj⟧
WANDB_RUN_NAME=⟦falconproj⟧
wandb: 🚀 View run at https://wandb.ai/⟦zorblaxteam⟧/⟦falconproj⟧/runs/⟦1a2b3c4d⟧
MLFLOW_TRACKING_URI=http://⟦zqmlflow⟧:5000
COMET_API_KEY=⟦zqabcdef⟧
CONDA_DEFAULT_ENV=⟦falconproj⟧
CONDA_PROMPT_MODIFIER=(⟦falconproj⟧)
VIRTUAL_ENV_PROMPT=(⟦falconproj⟧)
PS C:\Users\⟦qkimura⟧\⟦falconproj⟧> python
root@⟦f3ab9c8d7e6f⟧:/workspace# python
[sudo] password for ⟦qkimura⟧:
[sudo] Passwort für ⟦qkimura⟧:
sudo: unable to resolve host ⟦zqbox⟧: Name or service not known
uid=1000(⟦qkimura⟧) gid=1000(⟦qkimura⟧) groups=1000(⟦qkimura⟧),27(sudo)
|    0   N/A  N/A      4711      C   /home/⟦qkimura⟧/venv/bin/python   100MiB |
|    0   N/A  N/A      4711      C   ...⟦falconproj⟧/venv/bin/python   100MiB |
Linux ⟦zqbox⟧ 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux
uname_result(system='Linux', node='⟦zqbox⟧', release='6.8', version='x', machine='x86_64')
 Static hostname: ⟦zqbox⟧
Host Name:                 ⟦ZQBOX⟧
Registered Owner:          ⟦Q Kimura⟧
Registered Organization:   ⟦Zorblax Holding⟧
Domain:                    ⟦corpzq⟧
Logon Server:              \\⟦DCZQ01⟧
Product ID:                ⟦00330-80000-00000-AA123⟧
ProductId=⟦00330-80000-00000-AA123⟧
Machine name: ⟦ZQBOX⟧
Machine Id: {⟦4C4C4544-0042-3510-8051-B7C04F4D3332⟧}
MachineGuid    REG_SZ    ⟦4c4c4544-0042-3510-8051-b7c04f4d3332⟧
RegisteredOwner    REG_SZ    ⟦Q Kimura⟧
RegisteredOrganization REG_SZ ⟦Zorblax Holding⟧
ComputerName    REG_SZ    ⟦ZQBOX⟧
Asset Tag: ⟦ZQ-IT-00471⟧
Chassis Asset Tag: ⟦ZQIT00471⟧
Service Tag: ⟦7XZQ2L3⟧
SystemBiosAssetTag=⟦ZQIT00471⟧
DMI: Dell Inc. Precision 5820, serial ⟦7XZQ2L3⟧
usb 1-1: SerialNumber: ⟦ZQ4C530001⟧
iSerial                 3 ⟦ZQ4C530001230617114⟧
USB\VID_0781&PID_5581\⟦4C530001230617114⟧
BTHENUM\DEV_⟦DEADBEEF1234⟧
Device ⟦DE:AD:BE:EF:12:34⟧ ⟦Qkimura's⟧ WH-1000XM4
Serial Number                         : ⟦1322621000123⟧
GPU UUID                              : GPU-⟦8f2a1b3c-1111-2222-3333-444455556666⟧
<uuid>GPU-⟦8f2a1b3c-1111-2222-3333-444455556666⟧</uuid>
<serial>⟦1322621000123⟧</serial>
    "serial": "⟦1322621000123⟧",
GPU 0: NVIDIA H100 (UUID: GPU-⟦8f2a1b3c-1111-2222-3333-444455556666⟧)
GPU PDI                               : 0x⟦5d2f1a3b4c5d6e7f⟧
Fabric ClusterUUID : ⟦8f2a1b3c-1111-2222-3333-444455556666⟧
ether ⟦de:ad:be:ef:12:34⟧ txqueuelen 1000
wlx⟦deadbeef1234⟧: renamed from wlan0
enx⟦deadbeef1234⟧
inet6 ⟦fe80::1ff:fe23:4567:890a⟧  prefixlen 64
ESSID:"⟦Zorblax Guest⟧"
SSID                   : ⟦Zorblax Guest⟧
CORP DC lookup for ⟦corpzq.local⟧
User domain: ⟦CORPZQ⟧
whoami: ⟦corpzq\qkimura⟧
USERDNSDOMAIN=⟦CORP.ZORBLAX.EXAMPLE⟧
USERDOMAIN_ROAMINGPROFILE=⟦CORPZQ⟧
HOMEPATH=\Users\⟦qkimura⟧
HOMESHARE=\\⟦zqfiler⟧\⟦qkimura⟧
CLIENTNAME=⟦ZQLAPTOP⟧
OneDriveCommercial=C:\Users\⟦qkimura⟧\OneDrive - ⟦Zorblax Holding⟧
OneDrive - ⟦Zorblax Holding⟧ is syncing
SUDO_USER=⟦qkimura⟧
MAIL=/var/mail/⟦qkimura⟧
/var/spool/mail/⟦qkimura⟧
SSH_CONNECTION=⟦10.11.12.13⟧ 51234 ⟦10.11.12.14⟧ 22
SSH_CLIENT=⟦10.11.12.13⟧ 51234 22
SSH_AUTH_SOCK=/tmp/ssh-⟦ZqXyAbCdEf⟧/agent.4711
GIT_AUTHOR_NAME=⟦Q Kimura⟧
GIT_AUTHOR_EMAIL=⟦qkimura@zorblax.example⟧
Author: ⟦Q Kimura⟧ <⟦qkimura@zorblax.example⟧>
From: ⟦Q Kimura⟧ <⟦qkimura@zorblax.example⟧>
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus,guid=⟦0123456789abcdef0123456789abcdef⟧
WSL_DISTRO_NAME=⟦ZqDistro⟧
JPY_API_TOKEN=⟦0123456789abcdef0123456789abcdef⟧
JUPYTERHUB_USER=⟦qkimura⟧
http://⟦zqbox⟧:8888/?token=⟦0a1b2c3d4e5f⟧
http://⟦zqbox⟧:8888/lab/tree/⟦falcon⟧.ipynb
HF_HOME=/data/⟦falconproj⟧/hf
OPENAI_API_KEY=⟦sk-zqzqzqzqzqzqzqzq⟧
ANTHROPIC_API_KEY=⟦sk-ant-zqzqzqzqzqzqzqzq⟧
AZURE_STORAGE_CONNECTION_STRING=DefaultEndpointsProtocol=https;AccountName=⟦zqacct⟧;AccountKey=⟦Zq9a8b7c6d5e4f==⟧
AZURE_CLIENT_ID=⟦4c4c4544-0042-3510-8051-b7c04f4d3332⟧
GOOGLE_APPLICATION_CREDENTIALS=/home/⟦qkimura⟧/⟦falcon⟧.json
"private_key_id": "⟦0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d⟧"
"client_email": "⟦svc@zorblax-123.iam.gserviceaccount.com⟧"
"project_id": "⟦zorblax-123⟧"
GCP_PROJECT=⟦zorblax-123⟧
GOOGLE_CLOUD_PROJECT=⟦zorblax-123⟧
SENTRY_DSN=https://⟦0a1b2c3d4e5f60718293a4b5c6d7e8f9⟧@⟦o1.ingest.sentry.io⟧/⟦4711⟧
DATABASE_URL=postgres://⟦qkimura⟧:⟦zqgeheim⟧@⟦zqdb⟧/⟦falcon⟧
User: ⟦qkimura⟧
Benutzer: ⟦qkimura⟧
Benutzername: ⟦qkimura⟧
Hostname: ⟦zqbox⟧
Rechnername: ⟦zqbox⟧
Computername: ⟦zqbox⟧
client_id=⟦zqclient77⟧
on node ⟦zqnode7⟧
worker ⟦zqnode7⟧:2222 lost
on host ⟦zqbox7⟧
Permission denied: '/scratch/⟦qkimura⟧/x'
PermissionError: [Errno 13] Permission denied: '/tmp/⟦qkimura⟧_torch'
OSError: [Errno 28] No space left on device: '/nfs/⟦zqteam⟧/x'
sacct -u ⟦qkimura⟧
export WANDB_API_KEY=⟦0123456789abcdef⟧
set HF_TOKEN=⟦hf_abcdefghijklmnopq⟧
$env:OPENAI_API_KEY = '⟦sk-abcdefghijklmnop⟧'
setx GH_TOKEN ⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧
setx API_KEY ⟦zqgeheim7⟧
aws_access_key_id = ⟦AKIAIOSFODNN7EXAMPLE⟧
az storage --account-key ⟦Zq9a8b7c6d5e4f==⟧ --account-name ⟦zqacct⟧
vault token ⟦s.zqabcdefGHIJ1234567890ab⟧
"Authorization": "token ⟦zqgeheim77⟧"
-H 'X-API-Key: ⟦zqgeheim77⟧'
Bearer ⟦zqgeheim77abcdef⟧
pwd: ⟦zqgeheim⟧
Kennwort: ⟦zqgeheim⟧
mot de passe : ⟦zqgeheim⟧
contraseña: ⟦zqgeheim⟧
пароль: ⟦zqgeheim⟧
密码：⟦zqgeheim⟧
git config user.name "⟦Q Kimura⟧"
git config --global user.email ⟦qkimura@zorblax.example⟧
user.name=⟦Q Kimura⟧
password for ⟦qkimura⟧: ⟦zqgeheim⟧
paid with ⟦4929 7716 3389 5573⟧ for the GPU
Kreditkarte: ⟦5425-2334-3010-9903⟧
amex ⟦3749 245455 40012⟧
call me at ⟦0664 88 39 55 67⟧
numéro ⟦756.9217.9769.85⟧
we are at ⟦48.20849, 16.37208⟧ with the cluster
position ⟦-33.86882 151.20930⟧
switch port ⟦7c95.8843.9927⟧ is down
fax ⟦+43 1 5858 7766⟧
"""  # noqa: E501
"""On both systems; one text a line."""

LINUX_LINES = r"""
nfs: server ⟦zqfiler⟧ not responding, still trying
[32495.562824] nfs: server ⟦zqfiler⟧ not responding, timed out
nfs: server ⟦zqfiler⟧ OK
nfs4: server ⟦zqfiler⟧ not responding, still trying
lockd: server ⟦zqfiler⟧ not responding, still trying
NFS: server ⟦zqfiler⟧ error: fileid changed
CIFS: VFS: \\⟦zqfiler⟧ has not responded in 180 seconds. Reconnecting...
CIFS: VFS: Server ⟦zqfiler⟧ has not responded in 120 seconds
mount.nfs: Connection timed out for ⟦zqfiler⟧:/⟦falconproj⟧
//⟦zqfiler⟧/⟦zqshare⟧ on /mnt type cifs (rw,username=⟦qkimura⟧)
Nov 21 10:00:01 ⟦zqbox⟧ kernel: NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.
Nov  1 10:00:01 ⟦zqbox⟧ kernel: [   60.933290] NVRM: loading
Nov 21 10:00:01 ⟦zqbox⟧ systemd[1]: Started nvidia-persistenced.
Nov 21 10:00:01 ⟦zqbox⟧ nvidia-persistenced[811]: Started
2026-11-21T10:00:01.123456+01:00 ⟦zqbox⟧ kernel: NVRM: loading
2026-11-21T10:00:01+0100 ⟦zqbox⟧ kernel: NVRM: loading
2026-11-21 10:00:01 ⟦zqbox⟧ kernel: NVRM: loading
<6>Nov 21 10:00:01 ⟦zqbox⟧ kernel: NVRM
-- Logs begin at Mon 2026-11-16 on ⟪⟦zqserver⟧⟫ --
KUBERNETES_SERVICE_HOST=⟦10.96.0.1⟧
HOSTNAME=⟦falcon-trainer-7d9f8b6c5d-x2x4z⟧
kubectl -n ⟦zqspace⟧ logs ⟦falcon-trainer-7d9f8b6c5d-x2x4z⟧
pod/⟦falcon-trainer-7d9f8b6c5d-x2x4z⟧ condition met
Error from server (NotFound): pods "⟦falcon-trainer⟧" not found
POD_NAME=⟦falcon-trainer-0⟧
POD_NAMESPACE=⟦zqspace⟧
NODE_NAME=⟦zqnode7⟧
0/3 nodes are available: Node ⟦gke-zqcluster-default-pool-1a2b3c4d-x1y2⟧ not ready
falcon-svc.⟦zqspace⟧.svc.cluster.local
docker pull ⟦zqregistry⟧:5000/⟦zqteam/falcon⟧:1.2
docker run --gpus all ⟦zqregistry.zorblax.io⟧/⟦zqteam/falcon⟧:1.2
docker run GHCR-HOST/⟦zqteam/falcon⟧:latest
image: ⟦123456789012⟧.dkr.ecr.eu-west-1.amazonaws.com/⟦falcon⟧:1
image: gcr.io/⟦zqteam-123456⟧/⟦falcon⟧:1
image: ⟦zqacr⟧.azurecr.io/⟦falcon⟧:1
NVCR-HOST/⟦zqorg⟧/⟦falcon⟧:1
docker run --name ⟦falconproj⟧ --hostname ⟦zqbox⟧ ubuntu
docker run -h ⟦zqbox⟧ ubuntu
FROM ⟦zqregistry.zorblax.io⟧/⟦zqteam⟧/base:1
"""
"""On Linux."""

WHOLE_LINES = r"""
⟦zqfiler⟧:/export/⟦falconproj⟧ on /data type nfs4 (rw,addr=⟦10.11.12.13⟧)
⟦zqnode-0⟧: ⟦zqnode-0⟧:19491:21059 [7] NCCL INFO misc/socket.cc:749 -> 6
ping: ⟦zqhost⟧: Temporary failure in name resolution
ssh -l ⟦qkimura⟧ ⟦zqhost⟧
ssh ⟦zqhost⟧ nvidia-smi
docker exec -it ⟦falconproj⟧ bash
(⟦falconproj⟧) C:\Users\⟦qkimura⟧>python
(⟦falconproj⟧) [⟦qkimura@zqbox⟧ ~]$ python
⟦qkimura⟧:~/falcon$ python
⟦zqbox⟧:~ ⟦qkimura⟧$ python
⟦qkimura⟧ is not in the sudoers file.
Last login: Sat Nov 21 from ⟦zqbox⟧
⟦qkimura⟧ pts/0        2026-11-21 10:00 (⟦10.11.12.13⟧)
-rw-r--r-- 1 ⟦qkimura⟧ ⟦zqgroup⟧ 4096 Nov 21 10:00 libcudnn.so.9
drwxr-xr-x. 2 ⟦qkimura⟧ users 4096 Nov 21 10:00 lib
⟦qkimura⟧   4711  0.0  0.1 python train.py
Computer: ⟦ZQBOX⟧
hostname ⟦zqbox7⟧
Node:  ⟦zqnode7⟧/⟦10.1.2.3⟧
"""
"""Told by where they stand in their line: prompts, listings."""

ORDINARY = r"""
gcc -pthread -o x x.c -lcudnn
docker run -p 8080:80 --gpus all nvidia/cuda:12.8.0-base-ubuntu24.04 nvidia-smi
docker run --rm -it -p 8888:8888 -u root tensorflow/tensorflow:2.16.1-gpu
docker pull NVCR-HOST/nvidia/pytorch:24.05-py3
docker pull pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime
FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04
x -python 3.11
init_method='tcp://127.0.0.1:23456'
init_method="tcp://localhost:23456"
MASTER_ADDR=localhost MASTER_PORT=29500
MASTER_ADDR=127.0.0.1
torchrun --standalone --nnodes=1 --nproc_per_node=4 train.py
torchrun --master_addr localhost --master_port 29500 train.py
torchrun --rdzv_backend=c10d --rdzv_endpoint=localhost:0 train.py
master_addr is only used for static rdzv_backend and when rdzv_endpoint is not specified.
Initialize GrpcChannelCache for job worker -> {0 -> localhost:2001, 1 -> localhost:2002}
{"cluster": {"worker": ["localhost:12345", "localhost:23456"]}, "task": {"type": "worker", "index": 0}}
Started server with target: grpc://localhost:2001
http://localhost:8888/
http://127.0.0.1:6006
serving on http://[::1]:8000
mkdir -p /usr/local/cuda/lib64
cp -p libcudnn.so.9 /usr/lib
ls -p | grep cudnn
mysql is not installed
sudo apt-get install -y libcudnn9-cuda-12
sudo -H pip install torch
conda install -c conda-forge cudnn
conda install -c nvidia -c pytorch cudnn=9.1
conda activate base
nvcc -x cu kernel.cu
nvcc -u foo
python -u train.py
python -m pip install -U torch
pip install -U pip
tar -xf cudnn-linux-x86_64-9.10.2.21_cuda12-archive.tar.xz
unzip cudnn-windows-x86_64-9.10.2.21_cuda12-archive.zip
ldconfig -p | grep cudnn
ssh keys are fine
the SSH connection was lost
cudnn_status on host and device
on device: cuda:0
Copying from host to device
host memory allocation of 4096 bytes
node: v18.17.1
Node: 'sequential/conv2d/Conv2D'
Non-zero status code returned while running Conv node. Name:'Conv_0'
running on node 0
NUMA node zero
2021-05-05 18:02:13.055 I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcudart.so.11.0
2024-01-01 10:00:00,123 INFO root: cuDNN 9.1.0
2024-01-01T10:00:00 WARNING torch: cuDNN
2024-01-01 10:00:00 ERROR trainer[12]: cuDNN
crw-rw-rw- 1 root root 195, 0 Nov 21 10:00 /dev/nvidia0
crw-rw---- 1 root video 226, 0 Nov 21 10:00 /dev/dri/card0
lrwxrwxrwx 1 root root 20 Nov 21 10:00 libcudnn.so -> libcudnn.so.9
Epoch 3 12 0.5 0.6 0.7
uid=0(root) gid=0(root) groups=0(root)
std::array<int, 4> and Dims<4> in kernel<128>
0: cudnn_graph.so.9: cannot open shared object file
pcieport 0000:00:1c.0: AER: Multiple Corrected error received
NVRM: GPU at PCI:0000:01:00: Xid 79
usb 1-1: New USB device strings: Mfr=1, Product=2, SerialNumber=3
Asset Tag: Not Specified
Asset Tag: Default string
lib\x64\cudnn64_9.dll
bin\x64
bus id 0000:65:00.0 -> device 0
tensorrt/nvinfer plugin
CUDA/cuDNN mismatch
pod restarts; the service/daemon
sudo usermod -aG video $USER
sudo usermod -aG render "$USER"
curl -LO https://developer.download.nvidia.com/compute/cudnn/redist/redistrib_9.10.2.json
wget https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb
https://CONDA-HOST/conda-forge/linux-64
https://repo.anaconda.com/pkgs/main
https://github.com/pytorch/pytorch/issues/188892
git clone https://github.com/NVIDIA/cudnn-frontend.git
openssl version 3.0.2
Unexpected key(s) in state_dict: "conv.weight", "bn.bias".
KeyError: 'cudnn'
tokenizer = AutoTokenizer.from_pretrained("gpt2")
keyboard: us
undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12
the bearer of this card
2026-11-22 10:00:00,123 INFO cudnn 9.10.2.21 on driver 535.129.03
[ 1234.567890] NVRM: Xid (PCI:0000:01:00): 79, pid=1234
Windows 10.0.22631, vcruntime140.dll 14.29.30133.0
reset the password for the account: see below
/usr/local/cuda-9.0/bin/nvcc: No such file or directory
C:\cudnn\bin\cudnn64_9.dll: cannot open (C:\cudnn\bin\cudnn64_9.dll)
/var/lib/flatpak/exports/share:/usr/local/cuda/targets/sbsa-linux/lib
options nvidia NVreg_DeviceFileUID=0 NVreg_DeviceFileMode=0660
nvidia-cufft-cu12          11.3.3.83
D:\ComfyUI_windows_portable\python_embeded;C:\TensorRT-10.0.1.6\lib
"""  # noqa: E501
"""Nobody's names: what helpers need."""

_HOSTS = {
    "CONDA-HOST": ("conda", "anaconda", "org"),
    "PYPI-HOST": ("pypi", "org"),
    "GHCR-HOST": ("ghcr", "io"),
    "NVCR-HOST": ("nvcr", "io"),
}


def _named(text: str) -> str:
    """With the hosts' names, which stand nowhere in our files as they are."""
    for mark, parts in _HOSTS.items():
        text = text.replace(mark, ".".join(parts))
    return text


LINES, LINUX_LINES, WHOLE_LINES, ORDINARY = map(_named, (LINES, LINUX_LINES, WHOLE_LINES, ORDINARY))
