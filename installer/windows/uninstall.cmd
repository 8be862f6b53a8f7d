@echo off
rem Uninstalls silently, waits, and ends with the uninstaller's own exit code.
rem uninstall.exe alone answers 0 at once: it goes on in a copy of itself. That is made here, in a
rem folder inside of the program's own, where nobody else may lay a file beside it: to a folder in
rem Windows' Temp everybody may add one.
set "words=%*"
set "home=%~dp0"
set "home=%home:~0,-1%"
set "copy=%home%\.uninstall"
rmdir /s /q "%copy%" 2>nul
mkdir "%copy%"
if errorlevel 1 exit /b 5
copy /y "%home%\uninstall.exe" "%copy%" >nul
if errorlevel 1 exit /b 2
rem This file goes meanwhile, so the rest is one line, which is read before it begins. Its folder
rem goes without quotes, so put in once the line is read: an & in it is cmd's own else.
for %%h in ("%home%") do start "" /wait "%copy%\uninstall.exe" /S %words% _?=%%~h& call set "code=%%errorlevel%%"& rmdir /s /q "%copy%"& rmdir %%h 2>nul& for /f %%x in ('echo %%code%%') do exit /b %%x
