if [ -d /usr/lib/cudnn-assistant ]; then
    find /usr/lib/cudnn-assistant -name __pycache__ -type d -prune -exec rm -rf {} +
fi
