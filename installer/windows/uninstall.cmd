@echo off
rem Uninstalls silently, waits, and ends with the uninstaller's own exit code.
rem uninstall.exe alone answers 0 at once: it goes on in a copy of itself. So does this file,
rem because what is open can't be removed.
if "%~1"=="/FROM" goto remove
set "words=%*"
set "home=%~dp0"
set "copy=%TEMP%\cuDNN Assistant uninstall %RANDOM%"
copy /y "%~dp0uninstall.exe" "%copy%.exe" >nul
if errorlevel 1 exit /b 2
copy /y "%~dp0uninstall.cmd" "%copy%.cmd" >nul
if errorlevel 1 exit /b 2
"%copy%.cmd" /FROM
:remove
rem Its folder goes without quotes, so put in once the line is read: an & in it is cmd's own else.
for %%h in ("%home:~0,-1%") do start "" /wait "%copy%.exe" /S %words% _?=%%~h
set code=%errorlevel%
del "%copy%.exe"
del "%copy%.cmd"& exit /b %code%
