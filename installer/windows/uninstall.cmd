@echo off
rem Uninstalls silently, waits, and ends with the uninstaller's own exit code.
rem uninstall.exe alone answers 0 at once: it goes on in a copy of itself. So does this file,
rem because what is open can't be removed. Both go into a folder that is made for them: what
rem somebody has laid ready elsewhere could be exchanged once it is copied over.
if "%~1"=="/FROM" goto remove
set "words=%*"
set "home=%~dp0"
set "copy=%TEMP%\cuDNN Assistant uninstall %RANDOM%"
mkdir "%copy%"
if errorlevel 1 exit /b 2
copy /y "%~dp0uninstall.exe" "%copy%" >nul
if errorlevel 1 exit /b 2
copy /y "%~dp0uninstall.cmd" "%copy%" >nul
if errorlevel 1 exit /b 2
"%copy%\uninstall.cmd" /FROM
:remove
rem Its folder goes without quotes, so put in once the line is read: an & in it is cmd's own else.
for %%h in ("%home:~0,-1%") do start "" /wait "%copy%\uninstall.exe" /S %words% _?=%%~h
set code=%errorlevel%
rmdir /s /q "%copy%"& exit /b %code%
