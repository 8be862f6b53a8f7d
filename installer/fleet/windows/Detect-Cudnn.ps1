# Detection script for Intune (Remediations) and for a compliance setting of Configuration Manager.
#
# Exit codes, as Intune reads them: 0 nothing to mend, 1 the remediation helps. The one line that is
# printed stands in the console. What is not known, and a computer without the program, is never 1.
# Run it as the person who is signed in, in 64-bit PowerShell.
#Requires -Version 5.1
param(
    # Codes of the causes that may be mended. The computer's own policy holds as well.
    [string[]] $Only = @('cudnn-not-on-path', 'older-cudnn-first', 'cuda-not-on-path'),
    # Seconds for the look.
    [int] $Limit = 600,
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

function Invoke-Assistant([string] $Python, [string[]] $Words, [int] $Seconds) {
    $start = New-Object System.Diagnostics.ProcessStartInfo
    $start.FileName = $Python
    $start.Arguments = (@('-I', '-B', '-m', 'cudnn_assistant') + $Words) -join ' '
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardOutput = $true
    $start.StandardOutputEncoding = [System.Text.Encoding]::UTF8
    $process = [System.Diagnostics.Process]::Start($start)
    # Read while it runs: a full pipe would hold it.
    $reading = $process.StandardOutput.ReadToEndAsync()
    if (-not $process.WaitForExit($Seconds * 1000)) {
        & taskkill.exe /T /F /PID $process.Id | Out-Null
        return @{ Code = -1; Text = '' }
    }
    return @{ Code = $process.ExitCode; Text = $reading.Result }
}

$python = if ($Program) { $Program } else { Find-Program }
if (-not $python) {
    Write-Output 'cuDNN Assistant is not installed.'
    exit 0
}
$words = @('fix', '--yes', '--dry-run', '--json', '--offline', '--only') + $Only
$seen = Invoke-Assistant $python $words $Limit
try { $steps = @((ConvertFrom-Json $seen.Text).steps) } catch { $steps = $null }
if ($null -eq $steps) {
    Write-Output "Not known: the look ended with $($seen.Code)."
    exit 0
}
if ($steps.Count -gt 0) {
    $codes = @($steps | ForEach-Object { $_.why } | Select-Object -Unique) -join ', '
    Write-Output "Can be mended: $codes"
    exit 1
}
Write-Output 'Nothing to mend.'
exit 0
