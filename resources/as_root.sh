# Stands before lines that are run as root. pkexec has what it starts told to end when we end: the
# trap lets all lines be run all the same; the programs that the lines start don't inherit it.
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PATH LC_ALL DEBIAN_FRONTEND
trap : HUP INT TERM
cd /
echo 'cudnn-assistant: begun'
