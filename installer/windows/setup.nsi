; cuDNN Assistant's Setup.exe. build.py defines:
;   VERSION (1.2.3)  VERSION4 (1.2.3.0)  STAGE (folder to install)  ART (icons and picture)
;   OUT (file to write)  SIZE_KB (installed)  ROOM (longest install folder)
;   COMPRESSOR (lzma | none, for tests)  SIGN (command, optional)  HOME (the project's page, optional)
;   FILE (OUT's name)  TEST (defined in what is no release)  MAJOR and MINOR (of VERSION)
;   WORDS (file of all sentences in all languages, by sentences.py)
;   APPID (what Windows' taskbar knows the program by)
;
; Setup.exe [/S] [/ALLUSERS | /CURRENTUSER] [/NOCOMMAND] [/D=folder, last, without quotes]
; uninstall.exe [/S] [/SETTINGS] [/LIBRARIES]   (what else goes: settings and journal, cuDNN copies)
; uninstall.cmd [/SETTINGS] [/LIBRARIES]   (silent; waits, and ends with the uninstaller's exit code)
; Exit codes: 0 done, 1 stopped by the person, 2 stopped by trouble, 3 a newer version is there,
;   4 the program is open, 5 needs an administrator, 6 this Windows or this folder can't be used,
;   7 it is installed in another place, 8 /D= names no folder on a drive of this computer
;
; Who does what: the program that the person started has their rights and their account. For a copy
; for everybody it starts a second one through Windows' question (/ASKED, /MACHINE), maybe as another
; person, waits for it, and does itself whatever is the person's own: starting the program, their
; settings. The second one touches only the machine's half: Program Files, HKLM, everybody's menu.

Unicode true
Target amd64-unicode
ManifestDPIAware true
ManifestDPIAwareness "PerMonitorV2,System"
ManifestSupportedOS Win10
RequestExecutionLevel user
SetDateSave off
AllowSkipFiles off
!if ${COMPRESSOR} == lzma
  SetCompressor /SOLID /FINAL lzma
  SetCompressorDictSize 64
!else
  SetCompress off
!endif
!ifdef SIGN
  !finalize '${SIGN} "%1"' = 0
  !uninstfinalize '${SIGN} "%1"' = 0
!endif

!include MUI2.nsh
!include nsDialogs.nsh
!include FileFunc.nsh
!include WordFunc.nsh
!include WinVer.nsh
!include LogicLib.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh

!define PRODUCT "cuDNN Assistant"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${PRODUCT}"
!define PROGID "cuDNNAssistant.Report"
!define SUFFIX ".cudnn-report"
; Said aloud that the window is meant: a program that is started by another may hold its console.
!define RUN '-I -B -m cudnn_assistant'
!define START '${RUN} --window'
; What the part with the administrator's rights answers when the program is to be started now.
!define START_WANTED 100

Name "${PRODUCT}"
Caption "${PRODUCT} ${VERSION}"
BrandingText " "
OutFile "${OUT}"
InstallDir ""
ShowInstDetails nevershow
ShowUninstDetails nevershow
VIProductVersion "${VERSION4}"
VIAddVersionKey ProductName "${PRODUCT}"
VIAddVersionKey FileDescription "${PRODUCT} Setup"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey CompanyName "The cuDNN Assistant authors"
VIAddVersionKey LegalCopyright "Apache License 2.0"
VIAddVersionKey OriginalFilename "${FILE}"
VIAddVersionKey InternalName "cudnn-assistant-setup"
!ifdef TEST
  VIAddVersionKey Comments "Test build"
  !define TITLE "$(INSTALL_TEST)"
!else
  !define TITLE "$(INSTALL)"
!endif

Var Mode        ; "user" or "all"
Var Installed   ; version that is there already, or ""
Var Place       ; its folder
Var ForMe
Var TickCommand
Var Command     ; 1 where the command belongs into terminals
Var Asked       ; 1 in the part that runs as administrator for a Setup that waits
Var Code        ; how that part ended; "" where Windows gave no permission
Var ForAll
Var Settings    ; uninstaller's tick boxes
Var Libraries
Var Registered  ; whether Windows' list names the copy that is removed
Var TickSettings
Var TickLibraries
Var Machine     ; 1 in the uninstaller's part that runs as administrator and knows no person
Var MachineDone ; 1 after it

!define MUI_ICON "${ART}/app.ico"
!define MUI_UNICON "${ART}/app.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${ART}/side.bmp"
!define MUI_WELCOMEFINISHPAGE_BITMAP_STRETCH AspectFitHeight
!define MUI_ABORTWARNING
!define MUI_ABORTWARNING_TEXT "$(STOP_NOW)"

Page custom AskWho TakeWho
!define MUI_PAGE_HEADER_TEXT "$(WHERE)"
!define MUI_PAGE_HEADER_SUBTEXT "$(WHERE_MORE)"
!define MUI_DIRECTORYPAGE_TEXT_TOP "$(FOLDER)"
!define MUI_PAGE_CUSTOMFUNCTION_PRE AskWhere
!insertmacro MUI_PAGE_DIRECTORY
!define MUI_PAGE_HEADER_TEXT "$(INSTALLING)"
!define MUI_PAGE_HEADER_SUBTEXT "$(SECONDS)"
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_TITLE "$(INSTALLED)"
!define MUI_FINISHPAGE_TEXT "$(INSTALLED_MORE)"
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "$(START)"
!define MUI_FINISHPAGE_RUN_FUNCTION StartIt
!define MUI_PAGE_CUSTOMFUNCTION_SHOW OfferStart
!insertmacro MUI_PAGE_FINISH

UninstPage custom un.AskWhat un.TakeWhat
!define MUI_PAGE_HEADER_TEXT "$(UNINSTALLING)"
!define MUI_PAGE_HEADER_SUBTEXT "$(SECONDS)"
!define MUI_INSTFILESPAGE_FINISHHEADER_TEXT "$(REMOVED)"
!define MUI_INSTFILESPAGE_FINISHHEADER_SUBTEXT "$(REMOVED_MORE)"
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE German
!insertmacro MUI_LANGUAGE Spanish
!insertmacro MUI_LANGUAGE French
!insertmacro MUI_LANGUAGE Japanese
!insertmacro MUI_LANGUAGE SimpChinese
!insertmacro MUI_LANGUAGE PortugueseBR
!include "${WORDS}"

; ---- what both programs need -------------------------------------------------------------

!macro StopWith CODE TEXT
  MessageBox MB_OK|MB_ICONINFORMATION "${TEXT}" /SD IDOK
  SetErrorLevel ${CODE}
  Quit
!macroend

; Windows lets nobody write a DLL that a program has loaded: the window, a command line, a child.
!macro Closed UN
Function ${UN}InUse   ; pushes 1 while a DLL of Python (of any series) is loaded, else 0
  StrCpy $R4 0
  FindFirst $R2 $R3 "$INSTDIR\python\python3*.dll"
  ${DoWhile} $R3 != ""
    ClearErrors
    FileOpen $R0 "$INSTDIR\python\$R3" a
    ${If} ${Errors}
      StrCpy $R4 1
    ${Else}
      FileClose $R0
    ${EndIf}
    FindNext $R2 $R3
  ${Loop}
  FindClose $R2
  Push $R4
FunctionEnd

Function ${UN}WaitUntilClosed
  ${If} ${Silent}
    StrCpy $R1 20
  ${Else}
    StrCpy $R1 1
  ${EndIf}
  again:
  Call ${UN}InUse
  Pop $R0
  ${If} $R0 == 0
    Return
  ${EndIf}
  IntOp $R1 $R1 - 1
  ${If} $R1 > 0
    Sleep 500
    Goto again
  ${EndIf}
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IS_OPEN)" /SD IDCANCEL IDRETRY retry
  SetErrorLevel 4
  Quit
  retry:
  StrCpy $R1 2
  Goto again
FunctionEnd
!macroend
!insertmacro Closed ""
!insertmacro Closed "un."

; What Windows made of the account's rights (TOKEN_ELEVATION_TYPE): 1 all it has, 2 an administrator's
; because a person allowed it to this program ("Run as administrator", maybe as another person), 3
; an administrator's account without them.
!macro Rights UN
Function ${UN}Rights
  System::Call 'advapi32::OpenProcessToken(p -1, i 8, *p .r1)'
  System::Call 'advapi32::GetTokenInformation(p r1, i 18, *i .r0, i 4, *i .r2)'
  System::Call 'kernel32::CloseHandle(p r1)'
FunctionEnd
!macroend
!insertmacro Rights ""
!insertmacro Rights "un."

!macro Admin UN
  Call ${UN}Rights
  StrCpy $1 $0
  UserInfo::GetAccountType
  Pop $0
  ${If} $1 == 3
    StrCpy $0 "User"
  ${EndIf}
!macroend

; Runs $R0 with the words $R1 as administrator, waits, and leaves its exit code in $Code; where
; nothing was started, that is "" and $R2 says why (1223: the person, or Windows, said no).
; The question belongs to our window, which is out of the way until the end.
!macro Elevate UN
Function ${UN}Elevate
  StrCpy $Code ""
  ; SHELLEXECUTEINFOW with its gaps; no window of Windows' own, and a handle to wait for.
  System::Call '*(i 112, i 0x540, p $HWNDPARENT, w "runas", w R0, w R1, p 0, i 1, i 0, p 0, p 0, p 0, p 0, i 0, i 0, p 0, p 0) p .r1'
  System::Call 'shell32::ShellExecuteExW(p r1) i .r2 ? e'
  Pop $R2
  System::Call '*$1(i, i, p, p, p, p, p, i, i, p, p, p, p, i, i, p, p .r3)'
  System::Free $1
  ${If} $2 == 0
  ${OrIf} $3 P= 0
    Return
  ${EndIf}
  HideWindow
  System::Call 'kernel32::WaitForSingleObject(p r3, i -1)'
  System::Call 'kernel32::GetExitCodeProcess(p r3, *i .r4)'
  System::Call 'kernel32::CloseHandle(p r3)'
  StrCpy $Code $4
FunctionEnd
!macroend
!insertmacro Elevate ""
!insertmacro Elevate "un."

!macro Option NAME VARIABLE
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "${NAME}" $R1
  ${IfNot} ${Errors}
    StrCpy ${VARIABLE} 1
  ${EndIf}
!macroend

; ---- Setup --------------------------------------------------------------------------------

Function .onInit
  ${IfNot} ${AtLeastWin10}
    !insertmacro StopWith 6 "$(NEEDS_WINDOWS)"
  ${EndIf}
  Call RefuseNowhere
  StrCpy $Mode "user"
  SetShellVarContext current
  ReadRegStr $0 HKCU "${KEY}" "DisplayVersion"
  ReadRegStr $1 HKLM "${KEY}" "DisplayVersion"
  ${If} $0 == ""
  ${AndIf} $1 != ""
    StrCpy $Mode "all"
  ${EndIf}
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/ALLUSERS" $R1
  ${IfNot} ${Errors}
    StrCpy $Mode "all"
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/CURRENTUSER" $R1
  ${IfNot} ${Errors}
    StrCpy $Mode "user"
  ${EndIf}
  !insertmacro Option "/ASKED" $Asked
  ${If} $Asked == 1
    StrCpy $Command 1
  ${Else}
    Call ReadCommand
  ${EndIf}
  StrCpy $R2 ""
  !insertmacro Option "/NOCOMMAND" $R2
  ${If} $R2 == 1
    StrCpy $Command 0
  ${EndIf}
  ${If} ${Silent}
  ${OrIf} $Asked == 1
    Call EnterMode
    Call RefuseOlder
    Call RefuseElsewhere
  ${EndIf}
  ${If} ${Silent}
  ${AndIf} $Mode == "all"
    !insertmacro Admin ""
    ${If} $0 != "Admin"
      SetErrorLevel 5
      Quit
    ${EndIf}
  ${EndIf}
FunctionEnd

; The choice that was made last time; the first time it is yes.
Function ReadCommand
  StrCpy $Command 1
  ClearErrors
  ReadRegDWORD $0 HKCU "${KEY}" "Command"
  ${If} ${Errors}
    ClearErrors
    ReadRegDWORD $0 HKLM "${KEY}" "Command"
  ${EndIf}
  ${IfNot} ${Errors}
    StrCpy $Command $0
  ${EndIf}
FunctionEnd

; NSIS forgets a /D= that names a missing drive or a bare root, and would take another folder.
Function RefuseNowhere
  ${If} $INSTDIR != ""
    Return
  ${EndIf}
  System::Call 'kernel32::GetCommandLineW() w.r0'
  ${Do}
    StrCpy $1 $0 4
    ${If} $1 == " /D="
      !insertmacro StopWith 8 "$(NOWHERE)"
    ${EndIf}
    StrCpy $0 $0 "" 1
  ${LoopUntil} $1 == ""
FunctionEnd

; What is installed: for $Mode, or for nobody; only where its files still are.
!macro ReadInstalled ROOT
  ReadRegStr $Installed ${ROOT} "${KEY}" "DisplayVersion"
  ReadRegStr $Place ${ROOT} "${KEY}" "InstallLocation"
  ${IfNot} ${FileExists} "$Place\install.marker"
    StrCpy $Installed ""
    StrCpy $Place ""
  ${EndIf}
!macroend

; Registry, Start menu and folder of $Mode. A folder that the person gave stays.
Function EnterMode
  ${If} $Mode == "all"
    SetShellVarContext all
    StrCpy $1 "$PROGRAMFILES64\${PRODUCT}"
  ${Else}
    SetShellVarContext current
    StrCpy $1 "$LOCALAPPDATA\Programs\${PRODUCT}"
  ${EndIf}
  !insertmacro ReadInstalled SHCTX
  ${If} $INSTDIR == ""
    StrCpy $INSTDIR $1
    ${If} $Place != ""
      StrCpy $INSTDIR $Place
    ${EndIf}
  ${EndIf}
  Call RefuseUnprotected
FunctionEnd

; Windows lets every account write into most other folders, and administrators run this copy, too.
Function RefuseUnprotected
  ${If} $Mode == "all"
    System::Call 'kernel32::GetFullPathNameW(w "$INSTDIR\.", i ${NSIS_MAX_STRLEN}, w .r0, p 0)'
    StrLen $2 "$PROGRAMFILES64\"
    StrCpy $0 $0 $2
    ${If} $0 != "$PROGRAMFILES64\"
      !insertmacro StopWith 6 "$(NOT_PROTECTED)"
    ${EndIf}
  ${EndIf}
FunctionEnd

Function RefuseOlder
  ${If} $Installed == ""
    Return
  ${EndIf}
  ${VersionCompare} $Installed ${VERSION} $0
  ${If} $0 == 1
    !insertmacro StopWith 3 "$(OLDER)"
  ${EndIf}
FunctionEnd

; One product has one place: two copies would take each other's Start menu entry and reports.
Function RefuseElsewhere
  ${If} $Installed != ""
    ; "C:\a\" and "C:\a" are one folder, and two in one are not.
    GetFullPathName $0 "$Place\."
    GetFullPathName $1 "$INSTDIR\."
    ${If} $0 != $1
      !insertmacro StopWith 7 "$(ELSEWHERE)"
    ${EndIf}
    Return
  ${EndIf}
  ${If} $Mode == "all"
    !insertmacro ReadInstalled HKCU
    StrCpy $2 "$(FOR_ME)"
  ${Else}
    !insertmacro ReadInstalled HKLM
    StrCpy $2 "$(FOR_ALL)"
  ${EndIf}
  ${If} $Installed != ""
    Call RefuseOlder
    !insertmacro StopWith 7 "$(OTHER_KIND)"
  ${EndIf}
FunctionEnd

; A copy that is there is repaired or upgraded where it is; everybody's has one place.
Function AskWhere
  ${If} $Installed != ""
    StrCpy $INSTDIR $Place
    Abort
  ${ElseIf} $Mode == "all"
    Abort
  ${EndIf}
FunctionEnd

Function RefuseLong
  StrLen $0 $INSTDIR
  ${If} $0 > ${ROOM}
    !insertmacro StopWith 6 "$(TOO_LONG)"
  ${EndIf}
FunctionEnd

Function .onVerifyInstDir
  StrLen $0 $INSTDIR
  ${If} $0 > ${ROOM}
    Abort
  ${EndIf}
FunctionEnd

Function AskWho
  ${If} $Asked == 1
    Abort
  ${EndIf}
  StrCpy $0 "$(PURPOSE)"
  ReadRegStr $1 HKCU "${KEY}" "DisplayVersion"
  ${If} $1 == ""
    ReadRegStr $1 HKLM "${KEY}" "DisplayVersion"
  ${EndIf}
  ${If} $1 == "${VERSION}"
    StrCpy $0 "$(REPAIR)"
  ${ElseIf} $1 != ""
    ${VersionCompare} $1 ${VERSION} $2
    ${If} $2 == 1
      StrCpy $0 "$(NEWER)"
    ${Else}
      StrCpy $0 "$(UPGRADE)"
    ${EndIf}
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "${TITLE}" "$0"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 0 100% 12u "$(WHO)"
  Pop $0
  ${NSD_CreateRadioButton} 8u 14u 95% 12u "$(ONLY_ME)"
  Pop $ForMe
  ${NSD_CreateLabel} 20u 26u 90% 10u "$(NO_ADMINISTRATOR)"
  Pop $0
  ${NSD_CreateRadioButton} 8u 38u 95% 12u "$(EVERYBODY)"
  Pop $ForAll
  ${NSD_CreateLabel} 20u 50u 90% 10u "$(ADMINISTRATOR)"
  Pop $0
  ${NSD_CreateCheckBox} 8u 66u 97% 12u "$(COMMAND)"
  Pop $TickCommand
  ${If} $Command == 1
    ${NSD_Check} $TickCommand
  ${EndIf}
  ${NSD_CreateLabel} 0 86u 100% 26u "$(CHANGES)"
  Pop $0
  !ifdef TEST
    ${NSD_CreateLabel} 0 114u 100% 26u "$(TEST)"
    Pop $0
  !endif
  ${If} $Mode == "all"
    ${NSD_Check} $ForAll
    ${NSD_SetFocus} $ForAll
  ${Else}
    ${NSD_Check} $ForMe
    ${NSD_SetFocus} $ForMe
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function TakeWho
  StrCpy $R9 $Mode
  ${NSD_GetState} $TickCommand $Command
  ${NSD_GetState} $ForAll $0
  ${If} $0 == ${BST_CHECKED}
    StrCpy $Mode "all"
  ${Else}
    StrCpy $Mode "user"
  ${EndIf}
  ${If} $R9 != $Mode
    StrCpy $INSTDIR ""
  ${EndIf}
  ${If} $Mode == "all"
    !insertmacro Admin ""
    ${If} $0 != "Admin"
      Call AskAdministrator
    ${EndIf}
  ${EndIf}
  Call EnterMode
  Call RefuseOlder
  Call RefuseElsewhere
FunctionEnd

; Comes back only where Windows gave no permission, to the page that is shown.
Function AskAdministrator
  StrCpy $R0 "$EXEPATH"
  StrCpy $R1 "/ALLUSERS /ASKED"
  ${If} $Command != 1
    StrCpy $R1 "$R1 /NOCOMMAND"
  ${EndIf}
  Call Elevate
  ${If} $Code == ""
    ; An administrator's session has none of the person's network drives.
    ${If} $R2 == 1223
      MessageBox MB_OK|MB_ICONINFORMATION "$(NO_PERMISSION)"
    ${Else}
      MessageBox MB_OK|MB_ICONINFORMATION "$(NOT_FROM_HERE)"
    ${EndIf}
    Abort
  ${EndIf}
  ${If} $Code == ${START_WANTED}
    StrCpy $Code 0
    SetShellVarContext all
    ReadRegStr $0 HKLM "${KEY}" "InstallLocation"
    SetOutPath "$0"
    Exec '"$0\python\pythonw.exe" ${START}'
  ${EndIf}
  SetErrorLevel $Code
  Quit
FunctionEnd

; The new version is unpacked beside the old one and takes its place by renaming, so that a full
; disk or a power cut while unpacking leaves the old one whole.
!macro Swap PART
  ${If} $R8 == ""
    ClearErrors
    ${If} ${FileExists} "$INSTDIR\${PART}"
      Rename "$INSTDIR\${PART}" "$INSTDIR\.old\${PART}"
    ${EndIf}
    ${IfNot} ${Errors}
      Rename "$INSTDIR\.new\${PART}" "$INSTDIR\${PART}"
    ${EndIf}
    ${If} ${Errors}
      StrCpy $R8 "${PART}"
    ${EndIf}
  ${EndIf}
!macroend

!macro SwapBack PART
  ${If} ${FileExists} "$INSTDIR\.old\${PART}"
    RMDir /r "$INSTDIR\${PART}"
    Delete "$INSTDIR\${PART}"
    Rename "$INSTDIR\.old\${PART}" "$INSTDIR\${PART}"
  ${EndIf}
!macroend

!macro EachPart MACRO
  !insertmacro ${MACRO} "python"
  !insertmacro ${MACRO} "lib"
  !insertmacro ${MACRO} "app"
  !insertmacro ${MACRO} "licences"
  !insertmacro ${MACRO} "app.ico"
  !insertmacro ${MACRO} "command"
  !insertmacro ${MACRO} "uninstall.cmd"
  !insertmacro ${MACRO} "sbom.cdx.json"
!macroend

!macro RemovePart PART
  RMDir /r "$INSTDIR\${PART}"
  Delete "$INSTDIR\${PART}"
!macroend

Section
  SetDetailsPrint none
  own:
  ${If} ${FileExists} "$INSTDIR\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\install.marker"
    ; Somebody's folder: ours goes into one of its own, so that removing it can never touch theirs.
    StrCpy $INSTDIR "$INSTDIR\${PRODUCT}"
    Goto own
  ${EndIf}
  Call RefuseLong
  Call WaitUntilClosed
  RMDir /r "$INSTDIR\.new"
  ; What a stopped run left: the old version is put back before anything else.
  !insertmacro EachPart SwapBack
  RMDir /r "$INSTDIR\.old"
  ClearErrors
  CreateDirectory "$INSTDIR\.old"
  FileOpen $0 "$INSTDIR\install.marker" w
  FileWrite $0 "$Mode"
  FileClose $0
  ${If} ${Errors}
    !insertmacro StopWith 2 "$(NOT_WRITABLE)"
  ${EndIf}
  SetOutPath "$INSTDIR\.new"
  ClearErrors
  File /r "${STAGE}/*.*"
  SetOutPath "$INSTDIR"
  ${If} ${Errors}
    RMDir /r "$INSTDIR\.new"
    RMDir "$INSTDIR\.old"
    !insertmacro StopWith 2 "$(NOT_ALL_WRITTEN)"
  ${EndIf}
  StrCpy $R8 ""
  !insertmacro EachPart Swap
  ${If} $R8 != ""
    !insertmacro EachPart SwapBack
    RMDir /r "$INSTDIR\.new"
    RMDir /r "$INSTDIR\.old"
    !insertmacro StopWith 2 "$(NOT_REPLACED)"
  ${EndIf}
  RMDir /r "$INSTDIR\.new"
  RMDir /r "$INSTDIR\.old"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  Call Register
  Call SetCommand
SectionEnd

; The program knows how to read and write PATH whole, whatever its kind and length.
!macro TerminalFolder WHAT
  ${If} $Mode == "all"
    StrCpy $R1 "machine"
  ${Else}
    StrCpy $R1 "user"
  ${EndIf}
  ExecWait '"$INSTDIR\python\pythonw.exe" ${RUN} --terminal-folder ${WHAT} $R1 "$INSTDIR\command"' $0
!macroend

Function SetCommand
  ${If} $Command == 1
    !insertmacro TerminalFolder put
    ${If} $0 != 0
      MessageBox MB_OK|MB_ICONINFORMATION "$(NO_COMMAND)" /SD IDOK
    ${EndIf}
  ${Else}
    !insertmacro TerminalFolder take
  ${EndIf}
  WriteRegDWORD SHCTX "${KEY}" "Command" $Command
FunctionEnd

Function Register
  CreateShortcut "$SMPROGRAMS\${PRODUCT}.lnk" "$INSTDIR\python\pythonw.exe" "${START}" "$INSTDIR\app.ico" 0 SW_SHOWNORMAL "" "$(SHORTCUT)"
  Call NameShortcut
  WriteRegStr SHCTX "${KEY}" "DisplayName" "${PRODUCT}"
  WriteRegStr SHCTX "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${KEY}" "DisplayIcon" "$INSTDIR\app.ico"
  WriteRegStr SHCTX "${KEY}" "Publisher" "The cuDNN Assistant authors"
  WriteRegStr SHCTX "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr SHCTX "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.cmd"'
  ${GetTime} "" "L" $0 $1 $2 $3 $4 $5 $6
  WriteRegStr SHCTX "${KEY}" "InstallDate" "$2$1$0"
  WriteRegDWORD SHCTX "${KEY}" "VersionMajor" ${MAJOR}
  WriteRegDWORD SHCTX "${KEY}" "VersionMinor" ${MINOR}
  !ifdef HOME
    WriteRegStr SHCTX "${KEY}" "HelpLink" "${HOME}"
    WriteRegStr SHCTX "${KEY}" "URLInfoAbout" "${HOME}"
    WriteRegStr SHCTX "${KEY}" "URLUpdateInfo" "${HOME}"
  !endif
  ; Windows' own Repair would start nothing: Setup, which repairs, isn't kept on the computer.
  WriteRegDWORD SHCTX "${KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD SHCTX "${KEY}" "NoModify" 1
  WriteRegDWORD SHCTX "${KEY}" "NoRepair" 1
  WriteRegStr SHCTX "Software\Classes\${PROGID}" "" "${PRODUCT} report"
  ; Reports that were opened stand in the taskbar's list of the window with this name.
  WriteRegStr SHCTX "Software\Classes\${PROGID}" "AppUserModelID" "${APPID}"
  WriteRegStr SHCTX "Software\Classes\${PROGID}\DefaultIcon" "" "$INSTDIR\app.ico"
  WriteRegStr SHCTX "Software\Classes\${PROGID}\shell\open\command" "" '"$INSTDIR\python\pythonw.exe" ${START} "%1"'
  WriteRegStr SHCTX "Software\Classes\${SUFFIX}" "" "${PROGID}"
  ; Reports are Markdown: offered under "Open with", never taken from the person's editor.
  WriteRegStr SHCTX "Software\Classes\.md\OpenWithProgids" "${PROGID}" ""
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

; The window says the same name of itself: one button in the taskbar, and pinned, it starts this.
Function NameShortcut
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P= 0
    Return
  ${EndIf}
  ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
  ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r2)'
  ${If} $1 P<> 0
  ${AndIf} $2 P<> 0
    ${IPersistFile::Load} $1 '("$SMPROGRAMS\${PRODUCT}.lnk", ${STGM_READWRITE})'
    System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r3'
    System::Call '*(&w64 "${APPID}")p.r4'
    System::Call '*${SYSSTRUCT_PROPVARIANT}(${VT_LPWSTR},,$4)p.r5'
    ${IPropertyStore::SetValue} $2 '($3,$5)'
    ${IPropertyStore::Commit} $2 ""
    ${IPersistFile::Save} $1 '("$SMPROGRAMS\${PRODUCT}.lnk",1)'
    System::Free $5
    System::Free $4
    System::Free $3
  ${EndIf}
  !insertmacro ComHlpr_SafeRelease $2
  !insertmacro ComHlpr_SafeRelease $1
  !insertmacro ComHlpr_SafeRelease $0
FunctionEnd

; Never with an administrator's rights, and never as somebody else: the Setup that the person
; started does it; where there is none, the tick isn't shown.
Function StartIt
  ${If} $Asked == 1
    SetErrorLevel ${START_WANTED}
  ${Else}
    Exec '"$INSTDIR\python\pythonw.exe" ${START}'
  ${EndIf}
FunctionEnd

Function OfferStart
  ${If} $Asked != 1
    Call Rights
    ${If} $0 == 2
      ${NSD_Uncheck} $mui.FinishPage.Run
      ShowWindow $mui.FinishPage.Run ${SW_HIDE}
    ${EndIf}
  ${EndIf}
FunctionEnd

; ---- uninstaller --------------------------------------------------------------------------

Function un.onInit
  ${IfNot} ${FileExists} "$INSTDIR\install.marker"
    !insertmacro StopWith 2 "$(NOT_OURS)"
  ${EndIf}
  FileOpen $0 "$INSTDIR\install.marker" r
  FileRead $0 $Mode
  FileClose $0
  SetShellVarContext current
  !insertmacro Option "/SETTINGS" $Settings
  !insertmacro Option "/LIBRARIES" $Libraries
  !insertmacro Option "/MACHINE" $Machine
  ${If} $Mode == "all"
    !insertmacro Admin "un."
    ${If} $0 != "Admin"
    ${AndIf} ${Silent}
      SetErrorLevel 5
      Quit
    ${EndIf}
    SetShellVarContext all
  ${EndIf}
FunctionEnd

Function un.AskWhat
  !insertmacro MUI_HEADER_TEXT "$(UNINSTALL)" "$(CHANGES_STAY)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 8u 100% 24u "$(UNDO_FIRST)"
  Pop $0
  StrCpy $TickSettings 0
  Call un.Rights
  ${If} $Mode == "all"
  ${AndIf} $0 == 2
    ${NSD_CreateLabel} 0 40u 100% 24u "$(EACH_PERSONS)"
    Pop $0
  ${Else}
    ${NSD_CreateLabel} 0 40u 100% 12u "$(REMOVE_TOO)"
    Pop $0
    ${NSD_CreateCheckBox} 8u 56u 95% 12u "$(MY_SETTINGS)"
    Pop $TickSettings
    ${NSD_CreateCheckBox} 8u 74u 95% 12u "$(MY_COPIES)"
    Pop $TickLibraries
    ${NSD_CreateLabel} 20u 88u 90% 24u "$(COPIES_NEEDED)"
    Pop $0
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function un.TakeWhat
  ${If} $TickSettings != 0
    ${NSD_GetState} $TickSettings $Settings
    ${NSD_GetState} $TickLibraries $Libraries
  ${EndIf}
  ${If} $Mode == "all"
    !insertmacro Admin "un."
    ${If} $0 != "Admin"
      Call un.AskAdministrator
    ${EndIf}
  ${EndIf}
FunctionEnd

; The machine's half, by the uninstaller in its protected folder (NSIS' usual copy would lie in a
; folder that the person can write). Stays on the page where that isn't done.
Function un.AskAdministrator
  again:
  StrCpy $R0 "$INSTDIR\uninstall.exe"
  StrCpy $R1 "/S /MACHINE _?=$INSTDIR"
  Call un.Elevate
  ShowWindow $HWNDPARENT ${SW_SHOW}
  ${If} $Code == 0
    StrCpy $MachineDone 1
    Return
  ${EndIf}
  ${If} $Code == 4
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IS_OPEN)" IDRETRY again
  ${Else}
    MessageBox MB_OK|MB_ICONINFORMATION "$(STILL_THERE)"
  ${EndIf}
  Abort
FunctionEnd

!macro Forget PART
  RMDir /r "$LOCALAPPDATA\${PRODUCT}\${PART}"
  Delete "$LOCALAPPDATA\${PRODUCT}\${PART}"
!macroend

Section Uninstall
  SetDetailsPrint none
  ${If} $MachineDone != 1
    Call un.WaitUntilClosed
    Call un.RemoveProgram
  ${EndIf}
  ${If} $Machine != 1
    Call un.ForgetPerson
  ${EndIf}
SectionEnd

Function un.RemoveProgram
  ; It may be running: out of the folder, so that this can go.
  GetTempFileName $0
  Delete $0
  Rename "$INSTDIR\uninstall.cmd" $0
  Delete $0
  ; An earlier Setup could install a second copy; the entries are then that one's.
  StrCpy $Registered 1
  ReadRegStr $0 SHCTX "${KEY}" "InstallLocation"
  ${If} $0 != $INSTDIR
  ${AndIf} ${FileExists} "$0\install.marker"
    StrCpy $Registered 0
  ${EndIf}
  !insertmacro TerminalFolder take
  !insertmacro EachPart RemovePart
  RMDir /r "$INSTDIR\.new"
  RMDir /r "$INSTDIR\.old"
  Delete "$INSTDIR\install.marker"
  ; A folder that somebody stands in can't go.
  SetOutPath "$SYSDIR"
  Call un.RemoveItself
  RMDir "$INSTDIR"
  ${If} $Registered == 1
    Call un.Unregister
  ${EndIf}
FunctionEnd

; What runs can't be deleted: Windows' own program does it once this one has ended.
Function un.RemoveItself
  ${If} $EXEDIR == $INSTDIR
    ; Once more where that takes longer.
    StrCpy $0 'del "$INSTDIR\uninstall.exe" & rmdir "$INSTDIR"'
    ExecShell "open" "$SYSDIR\cmd.exe" '/d /c ping -n 3 127.0.0.1 >nul & $0 & ping -n 6 127.0.0.1 >nul & $0' SW_HIDE
  ${Else}
    Delete "$INSTDIR\uninstall.exe"
  ${EndIf}
FunctionEnd

; What is this person's own; never done by the part that runs as administrator.
Function un.ForgetPerson
  ; "Check again after the restart": nobody is there to do it now.
  DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\RunOnce" "${PRODUCT}"
  SetShellVarContext current
  ${If} $Libraries == 1
    !insertmacro Forget "libraries"
  ${EndIf}
  ${If} $Settings == 1
    Call un.ForgetSettings
  ${EndIf}
  RMDir "$LOCALAPPDATA\${PRODUCT}"
FunctionEnd

Function un.Unregister
  Delete "$SMPROGRAMS\${PRODUCT}.lnk"
  DeleteRegKey SHCTX "${KEY}"
  DeleteRegKey SHCTX "Software\Classes\${PROGID}"
  ReadRegStr $0 SHCTX "Software\Classes\${SUFFIX}" ""
  ${If} $0 == "${PROGID}"
    DeleteRegKey SHCTX "Software\Classes\${SUFFIX}"
  ${EndIf}
  DeleteRegValue SHCTX "Software\Classes\.md\OpenWithProgids" "${PROGID}"
  DeleteRegKey /ifempty SHCTX "Software\Classes\.md\OpenWithProgids"
  DeleteRegKey /ifempty SHCTX "Software\Classes\.md"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

; All in the program's own folder but "libraries", which is the other tick box.
Function un.ForgetSettings
  FindFirst $0 $1 "$LOCALAPPDATA\${PRODUCT}\*.*"
  ${DoWhile} $1 != ""
    ${If} $1 != "."
    ${AndIf} $1 != ".."
    ${AndIf} $1 != "libraries"
      RMDir /r "$LOCALAPPDATA\${PRODUCT}\$1"
      Delete "$LOCALAPPDATA\${PRODUCT}\$1"
    ${EndIf}
    FindNext $0 $1
  ${Loop}
  FindClose $0
FunctionEnd
