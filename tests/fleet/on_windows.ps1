# On hosted Windows: the management scripts are parsed by PowerShell itself, and say what they must
# about three computers: without the program, with a program that hangs, and with the real one.
$ErrorActionPreference = 'Stop'
$folder = Join-Path $PSScriptRoot '../../installer/fleet/windows'
foreach ($script in Get-ChildItem $folder -Filter *.ps1) {
    $wrong = $null
    [void][System.Management.Automation.Language.Parser]::ParseFile($script.FullName, [ref]$null, [ref]$wrong)
    if ($wrong) { throw "$($script.Name): $wrong" }
}
$detect = Join-Path $folder 'Detect-Cudnn.ps1'
$repair = Join-Path $folder 'Repair-Cudnn.ps1'
$python = (Get-Command python).Source
foreach ($shell in 'powershell', 'pwsh') {
    function Expect([string] $What, [int] $Code, [string] $File, [string[]] $Words) {
        $said = & $shell -NoProfile -ExecutionPolicy Bypass -File $File @Words
        "${shell}: ${What}: $LASTEXITCODE $said"
        if ($LASTEXITCODE -ne $Code) { throw "$What ended with $LASTEXITCODE, not $Code" }
    }
    Expect 'without the program' 0 $detect @()
    Expect 'without the program' 1 $repair @()
    # The real program on a computer without a GPU: none of these causes can be mended there.
    Expect 'nothing to mend' 0 $detect @('-Program', $python)
    Expect 'too little time' 0 $detect @('-Program', $python, '-Limit', '0')
}
