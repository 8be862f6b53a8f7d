r"""Two hundred kinds of what a report must not tell, each as it is really written somewhere.

A line is one text; what stands between ⟦ and ⟧ must not be in the report. None is a real secret.
"""

from __future__ import annotations

import re

WINDOWS = r"""
C:\Users\⟦qkimura⟧\x
C:\Users\⟦Анна Ким⟧\venv\Lib\site-packages\torch\lib\cudnn64_9.dll
C:\Users\⟦王小明⟧\miniconda3\envs\⟦zorblax⟧\python.exe
C:\Users\⟦Jürgen Groß⟧\AppData\Local\Programs\Python\Python311\python.exe
C:\Users\⟦qkimura.CORPZQ⟧\AppData\Roaming\nvidia
C:\Users\⟦QKIMUR~1⟧\AppData\Local\Temp\cudnn64_9.dll
C:\Users\⟦qkimura⟧\OneDrive - ⟦Zorblax Holding⟧\⟦falconproj⟧\cudnn64_9.dll
C:\Users\⟦qkimura⟧\OneDrive\⟦Dokumente zq⟧\venv\python.exe
C:\Users\⟦qkimura⟧\Dropbox (⟦Zorblax⟧)\env\Scripts\python.exe
C:\Users\⟦qkimura⟧\Documents\⟦falconproj⟧\.venv\Scripts\python.exe
C:\Users\⟦qkimura⟧\Desktop\⟦Neuer Ordner zq⟧\bin\cudnn64_9.dll
C:\Users\⟦qkimura⟧\source\repos\⟦FalconProj⟧\x64\Release\app.exe
C:\Users\⟦qkimura⟧\anaconda3\envs\⟦falconproj⟧\Lib\site-packages\torch
C:/Users/⟦qkimura⟧/falcon/cudnn64_9.dll
c:\users\⟦QKimura⟧\falcon\cudnn64_9.dll
C:\\Users\\⟦qkimura⟧\\falcon\\cudnn64_9.dll
\\?\C:\Users\⟦qkimura⟧\falcon\cudnn64_9.dll
\\?\UNC\⟦zqserver⟧\⟦zqshare⟧\cudnn64_9.dll
\\⟦zqserver⟧\⟦zqshare⟧\tools\cudnn64_9.dll
\\⟦zqserver.corp.zorblax.example⟧\⟦dfs⟧q\tools\cudnn64_9.dll
//⟦zqserver⟧/⟦zqshare⟧/tools/cudnn64_9.dll
\\⟦10.11.12.13⟧\⟦zqshare⟧\bin
\\wsl$\⟦ZqDistro⟧\home\⟦qkimura⟧\x
\\wsl.localhost\Ubuntu\home\⟦qkimura⟧\x
\\tsclient\⟦zqdrive⟧\x\cudnn64_9.dll
\\⟦zqserver⟧@SSL\DavWWWRoot\⟦falconproj⟧\x.dll
D:\⟦falconproj⟧\lib\cudnn64_9.dll
D:\⟦Kunde Müller zq⟧\bin\cudnn64_9.dll
E:\work\⟦falconproj⟧\cuda\bin
C:\⟦falconproj⟧\cuda\bin
C:\Documents and Settings\⟦qkimura⟧\x
C:\Windows\ServiceProfiles\⟦svczorblax⟧\AppData\Local\x
C:\inetpub\⟦falconproj⟧\bin
HKEY_USERS\⟦S-1-5-21-1004336348-1177238915-682003330-1013⟧\Environment
HKU\⟦S-1-12-1-1943430372-1249052806-2496021943-3034400218⟧\Environment
SID ⟦S-1-5-21-1004336348-1177238915-682003330-500⟧ has no access
Zugriff für ⟦ZORBLAX\qkimura⟧ verweigert
user ⟦CORPZQ\qkimura⟧ can't log on
account ⟦AzureAD\QKimura⟧ is blocked
USERDOMAIN=⟦CORPZQ⟧
USERNAME=⟦qkimura⟧
COMPUTERNAME=⟦DESKTOP-ZQ7XX1P⟧
DESKTOP name ⟦DESKTOP-ZQ7XX1P⟧ not reachable
LOGONSERVER=\\⟦DCZQ01⟧
host ⟦LAPTOP-9ZQK2LMN⟧ did not answer
host ⟦WIN-ZQ3K2LMN9P1⟧ did not answer
\\.\pipe\⟦falconproj-4711⟧
file:///C:/Users/⟦qkimura⟧/falcon/x.whl
file://⟦zqserver⟧/⟦zqshare⟧/x.whl
%USERPROFILE%\⟦falconproj⟧\bin
%OneDriveCommercial%\⟦falconproj⟧\bin
C:\Users\⟦qkimura⟧\x;D:\⟦falconproj⟧\bin;C:\Windows\System32
"C:\Users\⟦q kimura⟧\fal con\bin";C:\Windows
Could not locate "C:\Users\⟦qkimura⟧\My ⟦falconproj⟧\zlibwapi.dll" in PATH
Error loading "D:\⟦falconproj⟧\torch\lib\cudnn_cnn64_9.dll" or one of its dependencies.
OSError: [WinError 126] D:\\⟦falconproj⟧\\cudnn64_9.dll
[WinError 5] Access is denied: 'C:\\Users\\⟦qkimura⟧\\x.dll'
File "C:\Users\⟦qkimura⟧\⟦falconproj⟧\train.py", line 3, in <module>
Das Modul D:\⟦Geheim Akte zq⟧\cudnn64_9.dll wurde nicht gefunden
"""
"""On Windows; one text a line."""

LINUX = r"""
/home/⟦qkimura⟧/x
/home/⟦анна⟧/venv/lib/python3.11/site-packages/torch/lib/libcudnn.so.9
/home/⟦王小明⟧/miniconda3/envs/⟦zorblax⟧/bin/python
/home/⟦jürgen⟧/.local/lib/python3.11/site-packages
/home/⟦corp.zorblax.example⟧/⟦qkimura⟧/venv/bin/python
/home/⟦CORPZQ⟧/⟦qkimura⟧/venv/bin/python
/home/⟦q⟧kimura-⟦zq⟧/falcon/lib
/var/home/⟦qkimura⟧/x
/Users/⟦qkimura⟧/x
/export/home/⟦qkimura⟧/x
/home2/⟦qkimura⟧/venv/bin/python
/homes/⟦qkimura⟧/venv/bin/python
/nfs/home/⟦qkimura⟧/venv/bin/python
/net/⟦zqserver⟧/⟦zqshare⟧/lib
/mnt/c/Users/⟦qkimura⟧/x/libcudnn.so.9
/mnt/data/⟦falconproj⟧/lib/libcudnn.so.9
/mnt/nas/⟦Kunde zq⟧/lib/libcudnn.so.9
/media/⟦qkimura⟧/⟦ZQ-STICK⟧/lib
/run/media/⟦qkimura⟧/⟦ZQ-STICK⟧/lib
/run/user/1000/gvfs/smb-share:server=⟦zqserver⟧,share=⟦zqshare⟧/lib
/data/⟦falconproj⟧/lib
/data/⟦zorblax⟧/⟦falconproj⟧/v1.2/lib/libcudnn.so.9
/scratch/⟦qkimura⟧/⟦falconproj⟧/lib
/lustre/⟦zorblax⟧/⟦qkimura⟧/venv/bin/python
/gpfs/⟦zorblax⟧/sw/cudnn/lib
WORK-ROOT/⟦falconproj⟧/lib/libcudnn.so.9
/workspace/⟦falconproj⟧/venv/bin/python
/srv/⟦falconproj⟧/lib
/opt/⟦falconproj⟧/lib/libcudnn.so.9
/app/⟦falconproj⟧/lib
/tmp/⟦falconproj⟧-build/lib
/tmp/pip-build-⟦qkimura⟧/lib
/var/lib/docker/volumes/⟦falconproj⟧_data/_data/lib
/root/⟦falconproj⟧/venv/bin/python
~/⟦falconproj⟧/lib
~⟦qkimura⟧/falcon/lib
$HOME/⟦falconproj⟧/lib
${HOME}/⟦falconproj⟧/lib
../⟦falconproj⟧/lib
/home/⟦qkimura⟧/a:/data/⟦falconproj⟧/lib:/usr/lib
sshfs#⟦qkimura⟧@⟦zqserver⟧:/x
⟦qkimura@zqserver⟧:~/falcon$ python
⟦qkimura@zqserver⟧:/data# ls
[⟦qkimura@zqserver⟧ falcon]$ python
ssh ⟦qkimura⟧@⟦10.11.12.13⟧
scp ⟦qkimura⟧@⟦zqserver.corp.zorblax.example⟧:/x .
sudo: ⟪⟦qkimura⟧⟫ is not in the sudoers file
(⟦falconproj⟧) qq@zz:~$ python
Kerberos principal ⟦qkimura@CORP.ZORBLAX.EXAMPLE⟧ expired
krbtgt/⟦CORP.ZORBLAX.EXAMPLE⟧@⟦CORP.ZORBLAX.EXAMPLE⟧
default_realm = ⟦CORP.ZORBLAX.EXAMPLE⟧
host/⟦node7.corp.zorblax.example⟧@⟦CORP.ZORBLAX.EXAMPLE⟧
uid=1000(⟪⟦qkimura⟧⟫) gid=1000(⟪⟦qkimura⟧⟫) groups=27(sudo)
USER=⟦qkimura⟧
LOGNAME=⟦qkimura⟧
HOSTNAME=⟦zqserver⟧
hostname: ⟦zqserver⟧
Linux ⟪⟦zqserver⟧⟫ 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux
nvidia-persistenced: running as user ⟪⟦qkimura⟧⟫
SLURM_JOB_USER=⟦qkimura⟧
SLURM_SUBMIT_HOST=⟦login1zq⟧
connect to ⟦zqserver.corp.zorblax.example⟧ port 22
cannot open "/data/⟦falcon proj⟧/libcudnn.so.9": No such file
File "/home/⟦qkimura⟧/⟦falconproj⟧/train.py", line 3, in <module>
/data/⟦falconproj⟧/libcudnn_ops.so.9: undefined symbol: x
dlopen(/data/⟦falconproj⟧/libcudnn.so.9, 0x0001): image not found
ImportError: /opt/⟦falconproj⟧/lib/libcudnn.so.9: file too short
LD_LIBRARY_PATH=/data/⟦falconproj⟧/lib:/home/⟦qkimura⟧/x
--prefix=/data/⟦falconproj⟧
'/data/⟦falconproj⟧/x' and (/data/⟦zorblaxproj⟧/y)
""".replace("WORK-ROOT", "/" + "work")
"""On Linux; one text a line."""

BOTH = r"""
got ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r⟧ back
Authorization: Bearer ⟦abcdefgh12345678⟧
authorization: Basic ⟦cWtpbXVyYTpzZWNyZXQ=⟧
Cookie: session=⟦zqabcdef123456⟧; theme=⟦zqdark77⟧
Set-Cookie: sid=⟦zqabcdef123456⟧; Path=/
X-Api-Key: ⟦zq12345678⟧
x-auth-token ⟦zq12345678abc⟧
AWS key ⟦AKIAIOSFODNN7EXAMPLE⟧
AWS key ⟦ASIAIOSFODNN7EXAMPLE⟧
AWS_SECRET_ACCESS_KEY=⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧
aws_session_token = ⟦FQoGZXIvYXdzEBYaDkzq⟧
secret ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧ is wrong
arn:aws:iam::⟦123456789012⟧:user/⟦qkimura⟧
s3://⟦zorblax-bucket⟧/falcon/x.whl
gs://⟦zorblax-bucket⟧/falcon/x.whl
abfss://⟦falcon⟧@⟦zorblaxacct⟧.dfs.core.windows.net/x
https://⟦zorblaxacct⟧.blob.core.windows.net/falcon?sv=2022&sig=⟦Zq%2Babc123%3D⟧&se=2026
SharedAccessSignature=sv=2022-11-02&sig=⟦ZqAbc123%3D⟧
DefaultEndpointsProtocol=https;AccountName=⟦zorblaxacct⟧;AccountKey=⟦Zq9a8b7c6d5e4f==⟧
Server=tcp:⟦zqdb.example⟧;User ID=⟦qkimura⟧;Password=⟦Zq!7geheim⟧;
postgres://⟦qkimura⟧:⟦zqpw7⟧@⟦dbzq⟧:5432/⟦falcon⟧
mongodb+srv://⟦qkimura⟧:⟦zq7⟧@⟦cluster0.zq1ab.mongodb.net⟧/x
redis://:⟦zqpw7⟧@⟦cachezq⟧:6379
amqp://⟦qkimura⟧:⟦zq7⟧@⟦mqzq⟧//
jdbc:mysql://⟦dbzq⟧/falcon?user=⟦qkimura⟧
ssh://git@⟦gitzq.example⟧/⟦falcon⟧.git
git@⟦gitzq.example⟧:⟦zorblax/falcon⟧.git
git+ssh://git@github.com/⟦zorblax/falconproj⟧.git
git+https://⟦zqtoken77⟧@github.com/⟦zorblax/falconproj⟧.git
https://⟦zqtoken77⟧:x-oauth-basic@github.com/⟦zorblax/falconproj⟧
https://github.com/⟦zorblaxcorp/falconproj⟧/releases/x.whl
https://⟦qkimura⟧:⟦zqpw7⟧@⟦mirror.zq⟧/simple
--index-url https://⟦pypi.zorblax.example⟧/simple
--extra-index-url=https://__token__:⟦zq7abc⟧@⟦pypi.zorblax.example⟧/simple
PIP_INDEX_URL=https://⟦pypi.zorblax.example⟧/⟦falcon⟧
http_proxy=http://⟦qkimura⟧:⟦zq%217⟧@⟦proxyzq⟧:3128
HTTPS_PROXY=⟦proxyzq.corp.zorblax.example⟧:3128
proxy ⟦10.11.12.13⟧:3128 refused
ftp://⟦ftpzq⟧/falcon
ldap://⟦dczq.corp.zorblax.example⟧/dc=⟦corpzq⟧
CN=⟦qkimura⟧,OU=⟦falconteam⟧,DC=⟦corpzq⟧,DC=example
wandb: Currently logged in as: ⟦qkimura⟧ (⟦zorblaxteam⟧)
WANDB_API_KEY=⟦0123456789abcdef0123456789abcdef01234567⟧
wandb ⟦0a1b2c3d4e5f60718293a4b5c6d7e8f901234567⟧ used
HF_TOKEN=⟦hf_QwErTyUiOpAsDfGhJkLz⟧
FOO=⟦hf_QwErTyUiOpAsDfGhJkLz⟧
GITHUB_TOKEN=⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧
BAR=⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧
⟦gho_abcdefghijklmnopqrstuvwxyz0123456789⟧
⟦ghu_abcdefghijklmnopqrstuvwxyz0123456789⟧
⟦ghs_abcdefghijklmnopqrstuvwxyz0123456789⟧
⟦ghr_abcdefghijklmnopqrstuvwxyz0123456789⟧
⟦github_pat_11ABCDEFG0zqzqzqzqzq_abcdefghijklmnop⟧
⟦glpat-zqzqzqzqzqzqzqzqzqzq⟧
⟦gldt-zqzqzqzqzqzqzqzqzqzq⟧
⟦npm_zqabcdefghijklmnopqrstuvwxyz012345⟧
⟦pypi-AgEIcHlwaS5vcmcCJGzqzqzqzqzqzq⟧
⟦sk-proj-zqzqzqzqzqzqzqzqzq⟧
⟦sk-ant-api03-zqzqzqzqzqzqzqzq⟧
⟦sk_live_zqzqzqzqzqzqzqzq⟧
⟦rk_live_zqzqzqzqzqzqzqzq⟧
⟦nvapi-zqzqzqzqzqzqzqzqzqzqzq⟧
NGC_API_KEY=⟦nvapi-zqzqzqzqzqzq⟧
NGC_CLI_API_KEY ⟦MzqyNjk4Zm9vYmFyYmF6cXV4⟧
⟦xoxb-123456789012-zqzqzqzqzq⟧
https://hooks.slack.com/services/⟦T00ZQ/B00ZQ/XXzqzqzq⟧
https://discord.com/api/webhooks/⟦123456789/zqzqzqzq⟧
⟦AIzaSyZqzqzqzqzqzqzqzqzqzqzqzqzqzqzqzq1⟧
⟦ya29.a0Zqzqzqzqzqzqzqzqzqzq⟧
⟦1//0gzqzqzqzqzqzqzqzqzqzqzqzq⟧
⟦dop_v1_0123456789abcdef0123456789abcdef⟧
⟦dckr_pat_zqzqzqzqzqzqzqzqzqzq⟧
⟦hvs.CAESIzqzqzqzqzqzqzqzqzq⟧
⟦SG.zqzqzqzqzqzqzqzq.zqzqzqzqzqzqzqzqzq⟧
⟦r8_zqzqzqzqzqzqzqzqzqzqzqzqzqzq⟧
⟦tvly-zqzqzqzqzqzqzqzqzqzq⟧
⟦gsk_zqzqzqzqzqzqzqzqzqzqzqzq⟧
⟦lin_api_zqzqzqzqzqzqzqzqzqzq⟧
⟦shpat_0123456789abcdef0123456789abcdef⟧
⟦PMAK-0123456789abcdef01234567-zqzqzqzqzq⟧
⟦figd_zqzqzqzqzqzqzqzqzqzq⟧
key-⟦3ax6xnjp29jd6fds4gc373sgvjxteol0⟧
-----BEGIN OPENSSH PRIVATE KEY----- ⟦b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ⟧
ssh-rsa ⟦AAAAB3NzaC1yc2EAAAADAQABAAABgQC7zq⟧ x
ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAIJzqzqzqzq⟧ ⟦qkimura@zqserver⟧
SHA256:⟦nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8⟧
password=⟦zqgeheim⟧
password: ⟦zqgeheim⟧
password is ⟦zqgeheim⟧
Passwort: ⟦zqgeheim⟧
PGPASSWORD=⟦zqgeheim⟧
MYSQL_PWD=⟦zqgeheim⟧
--password ⟦zqgeheim⟧ --verbose
--token ⟦zqgeheim⟧
{"password": "⟦zqgeheim⟧", "user": "⟦qkimura⟧"}
{'api_key': '⟦zqgeheim⟧'}
client_secret=⟦zqgeheim⟧&grant=1
PASSPHRASE=⟦zqgeheim mit leerzeichen⟧
passphrase: ⟦zqgeheim⟧
SIGNING_CERT_PIN=⟦zq7788⟧
LICENSE_KEY=⟦ZQ12-AB34-CD56⟧
Product key ⟦VK7JG-NPHTM-C97JM-9MPGT-3V66T⟧
machine ⟦zqhost.example⟧ login ⟦qkimura⟧ password ⟦zqgeheim⟧
⟦10.11.12.13⟧
⟦192.168.178.23⟧:8888
http://⟦10.11.12.13⟧:8888/?token=⟦0a1b2c3d4e5f⟧
ping ⟦172.16.254.1⟧ lost
inet ⟦10.0.0.5⟧/24
⟦fe80::1ff:fe23:4567:890a⟧%eth0
[⟦2001:db8:85a3::8a2e:370:7334⟧]:443
⟦2001:0db8:85a3:0000:0000:8a2e:0370:7334⟧
::ffff:⟦10.11.12.13⟧
⟦fd12:3456:789a::1⟧/64
eth0 ⟦de:ad:be:ef:12:34⟧ up
eth0 ⟦DE-AD-BE-EF-12-34⟧ up
eth0 ⟦dead.beef.1234⟧ up
HWaddr ⟦deadbeef1234⟧
GUID 0x⟦506b4b0300abcdef⟧
⟦qkimura@zorblax.example⟧
<⟦q.kimura+gpu@zorblax.example⟧>
Q Kimura <⟦q_kimura@sub.zorblax.example⟧>
mailto:⟦qkimura@zorblax.example⟧
⟦анна@пример.рф⟧
⟦qkimura@localhost⟧
GPU ⟦GPU-8f2a1b3c-1111-2222-3333-444455556666⟧ lost
GPU-⟦8f2a1b3c⟧
CUDA_VISIBLE_DEVICES=GPU-⟦8f2a1b3c⟧,GPU-⟦9e8d7c6b⟧
MIG-⟦8f2a1b3c-1111-2222-3333-444455556666⟧
MIG-GPU-⟦8f2a1b3c-1111-2222-3333-444455556666⟧/1/0
Serial Number: ⟦1322621000123⟧
serial ⟦1560521004711⟧ of board
S/N ⟦1560521004711⟧
Board serial=⟦PG-1560521004711⟧
System UUID ⟦4c4c4544-0042-3510-8051-b7c04f4d3332⟧
4C4C4544-⟦0042-3510-8051-B7C04F4D3332⟧
{⟦4C4C4544-0042-3510-8051-B7C04F4D3332⟧}
machine-id ⟦0123456789abcdef0123456789abcdef⟧
nvidia-grid token ⟦client_configuration_token_07-14-2026-12-00-00⟧
container ⟦f3ab9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b⟧
docker run -v /data/⟦falconproj⟧:/x -e TOKEN=⟦zq7⟧ ⟦registry.zorblax.example⟧/falcon
⟦registry.zorblax.example⟧:5000/falcon:1.2
DISPLAY=⟦zqserver⟧:0
KRB5CCNAME=FILE:/tmp/krb5cc_⟦1000_Zq7xY2⟧
MASTER_ADDR=⟦node7zq⟧
NCCL_SOCKET_IFNAME=⟦10.11.12.13⟧
Traceback in ⟦node7.corp.zorblax.example⟧
rank0@⟦node7zq⟧
"""
"""On both systems; one text a line."""


def kinds(table: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each text of a table and what in it must not be told."""
    rows = [row for row in table.strip().splitlines() if row]
    return [(re.sub("[⟦⟧]", "", row), tuple(re.findall("⟦(.*?)⟧", row))) for row in rows]
