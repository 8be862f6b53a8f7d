# Remediation script for Intune and Configuration Manager. It runs only after Detect-Cudnn.ps1 said 1.
#
# Exit codes: 0 it was mended (also where something else still stands in the way, or where nobody
# knows: the next detection says so), 1 it could not be; then everything is as before. Each change is journalled on the
# computer, and "cudnn-assistant undo" takes it back.
# Run it as the person who is signed in, in 64-bit PowerShell.
#Requires -Version 5.1
param(
    # The same codes as in Detect-Cudnn.ps1.
    [string[]] $Only = @('cudnn-not-on-path', 'older-cudnn-first', 'cuda-not-on-path'),
    # How the program is started; empty: where Setup puts it.
    [string] $Program = ''
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

function Find-Program {
    foreach ($folder in @("$env:ProgramFiles\cuDNN Assistant", "$env:LOCALAPPDATA\Programs\cuDNN Assistant")) {
        $python = Join-Path $folder 'python\python.exe'
        if (Test-Path -LiteralPath $python) { return $python }
    }
    return ''
}

$python = if ($Program) { $Program } else { Find-Program }
if (-not $python) {
    Write-Output 'cuDNN Assistant is not installed.'
    exit 1
}
$words = @('-I', '-B', '-m', 'cudnn_assistant', 'fix', '--yes', '--offline', '--only') + $Only
$start = Start-Process -FilePath $python -ArgumentList $words -Wait -PassThru -WindowStyle Hidden
switch ($start.ExitCode) {
    0 { Write-Output 'Mended; cuDNN works.'; exit 0 }
    3 { Write-Output 'Whether cuDNN works is not known.'; exit 0 }
    4 { Write-Output 'Mended; something else still stands in the way.'; exit 0 }
    default { Write-Output "Not mended ($($start.ExitCode)); everything is as before."; exit 1 }
}
