@echo off
rem Uninstalls silently, waits, and ends with the uninstaller's own exit code.
rem uninstall.exe alone answers 0 at once: it goes on in a copy of itself.
set "home=%~dp0"
set "copy=%TEMP%\cuDNN Assistant uninstall %RANDOM%.exe"
copy /y "%~dp0uninstall.exe" "%copy%" >nul
if errorlevel 1 exit /b 2
rem One line, because this file is gone after it.
"%copy%" /S %* _?=%home:~0,-1%&& (del "%copy%"& exit /b 0)
set code=%errorlevel%
del "%copy%"
exit /b %code%
