; cuDNN Assistant's Setup.exe. build.py defines:
;   VERSION (1.2.3)  VERSION4 (1.2.3.0)  STAGE (folder to install)  ART (icons and picture)
;   OUT (file to write)  SIZE_KB and SIZE_MB (installed)  ROOM (longest install folder)
;   COMPRESSOR (lzma | zlib)  SIGN (command, optional)  HOME (the project's page, optional)
;   FILE (OUT's name)  TEST (defined in what is no release)  MAJOR and MINOR (of VERSION)
;   UNDO (the word on the window's button)
;
; Setup.exe [/S] [/ALLUSERS | /CURRENTUSER] [/D=folder, last, without quotes]
; uninstall.exe [/S] [/SETTINGS] [/LIBRARIES]   (what else goes: settings and journal, cuDNN copies)
; uninstall.cmd [/SETTINGS] [/LIBRARIES]   (silent; waits, and ends with the uninstaller's exit code)
; Exit codes: 0 done, 1 stopped by the person, 2 stopped by trouble, 3 a newer version is there,
;   4 the program is open, 5 needs an administrator, 6 this Windows or this folder can't be used,
;   7 it is installed in another place, 8 /D= names no folder on a drive of this computer

Unicode true
Target amd64-unicode
ManifestDPIAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
SetDateSave off
AllowSkipFiles off
!if ${COMPRESSOR} == lzma
  SetCompressor /SOLID /FINAL lzma
  SetCompressorDictSize 64
!else
  SetCompressor /FINAL zlib
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

!define PRODUCT "cuDNN Assistant"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${PRODUCT}"
!define PROGID "cuDNNAssistant.Report"
!define SUFFIX ".cudnn-report"
; Said aloud that the window is meant: a program that is started by another may hold its console.
!define START '-I -B -m cudnn_assistant --window'

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
  !define TITLE "Install ${PRODUCT} ${VERSION} (test build)"
!else
  !define TITLE "Install ${PRODUCT} ${VERSION}"
!endif

Var Mode        ; "user" or "all"
Var Installed   ; version that is there already, or ""
Var Place       ; its folder
Var ForMe
Var ForAll
Var Settings    ; uninstaller's tick boxes
Var Libraries
Var Registered  ; whether Windows' list names the copy that is removed
Var TickSettings
Var TickLibraries

!define MUI_ICON "${ART}/app.ico"
!define MUI_UNICON "${ART}/app.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${ART}/side.bmp"
!define MUI_WELCOMEFINISHPAGE_BITMAP_STRETCH AspectFitHeight
!define MUI_ABORTWARNING
!define MUI_ABORTWARNING_TEXT "Stop now? Nothing was installed yet."

Page custom AskWho TakeWho
!define MUI_PAGE_HEADER_TEXT "Where to install"
!define MUI_PAGE_HEADER_SUBTEXT "The suggested folder is right for almost everybody."
!define MUI_DIRECTORYPAGE_TEXT_TOP "${PRODUCT} keeps all its files in this folder."
!define MUI_PAGE_CUSTOMFUNCTION_PRE AskWhere
!insertmacro MUI_PAGE_DIRECTORY
!define MUI_PAGE_HEADER_TEXT "Installing"
!define MUI_PAGE_HEADER_SUBTEXT "This takes some seconds."
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_TITLE "${PRODUCT} is installed"
!define MUI_FINISHPAGE_TEXT "You find it in the Start menu. It looks at this computer first and changes nothing before you have seen every change."
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Start ${PRODUCT}"
!define MUI_FINISHPAGE_RUN_FUNCTION StartIt
!insertmacro MUI_PAGE_FINISH

UninstPage custom un.AskWhat un.TakeWhat
!define MUI_PAGE_HEADER_TEXT "Uninstalling"
!define MUI_PAGE_HEADER_SUBTEXT "This takes some seconds."
!define MUI_INSTFILESPAGE_FINISHHEADER_TEXT "${PRODUCT} is removed"
!define MUI_INSTFILESPAGE_FINISHHEADER_SUBTEXT "What you didn't tick is where it was."
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

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
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${PRODUCT} is open. Close its window, then choose Retry." /SD IDCANCEL IDRETRY retry
  SetErrorLevel 4
  Quit
  retry:
  StrCpy $R1 2
  Goto again
FunctionEnd
!macroend
!insertmacro Closed ""
!insertmacro Closed "un."

!macro Admin RESULT
  UserInfo::GetAccountType
  Pop ${RESULT}
!macroend

; ---- Setup --------------------------------------------------------------------------------

Function .onInit
  ${IfNot} ${AtLeastWin10}
    !insertmacro StopWith 6 "${PRODUCT} needs Windows 10 or newer."
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
  ${If} ${Silent}
    Call EnterMode
    Call RefuseOlder
    Call RefuseElsewhere
    Call RefuseLong
    ${If} $Mode == "all"
      !insertmacro Admin $0
      ${If} $0 != "Admin"
        SetErrorLevel 5
        Quit
      ${EndIf}
    ${EndIf}
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
      !insertmacro StopWith 8 "The folder after /D= can't be used: it must be a folder on a drive of this computer. Nothing was changed."
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
FunctionEnd

Function RefuseOlder
  ${If} $Installed == ""
    Return
  ${EndIf}
  ${VersionCompare} $Installed ${VERSION} $0
  ${If} $0 == 1
    !insertmacro StopWith 3 "Version $Installed is installed already. It is newer than this one (${VERSION}), so nothing was changed.$\n$\nTo go back to ${VERSION}, uninstall the newer version first."
  ${EndIf}
FunctionEnd

; One product has one place: two copies would take each other's Start menu entry and reports.
Function RefuseElsewhere
  ${If} $Installed != ""
    ; "C:\a\" and "C:\a" are one folder, and two in one are not.
    GetFullPathName $0 "$Place\."
    GetFullPathName $1 "$INSTDIR\."
    ${If} $0 != $1
      !insertmacro StopWith 7 "${PRODUCT} $Installed is installed in $Place, so nothing was changed.$\n$\nTo have it in another folder, uninstall it first. Your settings stay."
    ${EndIf}
    Return
  ${EndIf}
  ${If} $Mode == "all"
    !insertmacro ReadInstalled HKCU
    StrCpy $2 "only for you"
  ${Else}
    !insertmacro ReadInstalled HKLM
    StrCpy $2 "for everybody"
  ${EndIf}
  ${If} $Installed != ""
    Call RefuseOlder
    !insertmacro StopWith 7 "${PRODUCT} $Installed is installed $2 in $Place, so nothing was changed.$\n$\nOne copy is enough. To have it otherwise, uninstall that one first. Your settings stay."
  ${EndIf}
FunctionEnd

; A copy that is there is repaired or upgraded where it is.
Function AskWhere
  ${If} $Installed != ""
    StrCpy $INSTDIR $Place
    Abort
  ${EndIf}
FunctionEnd

Function RefuseLong
  StrLen $0 $INSTDIR
  ${If} $0 > ${ROOM}
    !insertmacro StopWith 6 "The name of this folder is too long ($0 characters; at most ${ROOM})."
  ${EndIf}
FunctionEnd

Function .onVerifyInstDir
  StrLen $0 $INSTDIR
  ${If} $0 > ${ROOM}
    Abort
  ${EndIf}
FunctionEnd

Function AskWho
  StrCpy $0 "Find out why cuDNN doesn't start, mend it, and prove it on the GPU."
  ReadRegStr $1 HKCU "${KEY}" "DisplayVersion"
  ${If} $1 == ""
    ReadRegStr $1 HKLM "${KEY}" "DisplayVersion"
  ${EndIf}
  ${If} $1 == "${VERSION}"
    StrCpy $0 "Version ${VERSION} is installed. Setup puts all its files back as they were."
  ${ElseIf} $1 != ""
    ${VersionCompare} $1 ${VERSION} $2
    ${If} $2 == 1
      StrCpy $0 "Version $1 is installed. It is newer than this one."
    ${Else}
      StrCpy $0 "Version $1 is installed. Setup replaces it by ${VERSION} and keeps your settings."
    ${EndIf}
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "${TITLE}" "$0"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 8u 100% 12u "Who will use it on this computer?"
  Pop $0
  ${NSD_CreateRadioButton} 8u 28u 95% 12u "&Only me"
  Pop $ForMe
  ${NSD_CreateLabel} 20u 42u 90% 12u "Needs no administrator."
  Pop $0
  ${NSD_CreateRadioButton} 8u 60u 95% 12u "&Everybody"
  Pop $ForAll
  ${NSD_CreateLabel} 20u 74u 90% 12u "Windows asks for an administrator's permission."
  Pop $0
  ${NSD_CreateLabel} 0 98u 100% 24u "It needs ${SIZE_MB} MB. It adds an entry to the Start menu and to Windows' list of programs, and opens its own reports (.cudnn-report; .md under $\"Open with$\")."
  Pop $0
  !ifdef TEST
    ${NSD_CreateLabel} 0 124u 100% 16u "This is a test build, not a release: it isn't signed by its authors, and its Python is for tests."
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
    !insertmacro Admin $0
    ${If} $0 != "Admin"
      ClearErrors
      ExecShell "runas" "$EXEPATH" "/ALLUSERS"
      ${If} ${Errors}
        MessageBox MB_OK|MB_ICONINFORMATION "Windows gave no permission. Choose $\"Only me$\", or try again."
        Abort
      ${EndIf}
      Quit
    ${EndIf}
  ${EndIf}
  Call EnterMode
  Call RefuseOlder
  Call RefuseElsewhere
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
  !insertmacro ${MACRO} "cudnn-assistant.cmd"
  !insertmacro ${MACRO} "uninstall.cmd"
  !insertmacro ${MACRO} "sbom.cdx.json"
!macroend

!macro RemovePart PART
  RMDir /r "$INSTDIR\${PART}"
  Delete "$INSTDIR\${PART}"
!macroend

Section
  SetDetailsPrint none
  ${If} ${FileExists} "$INSTDIR\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\install.marker"
    ; Somebody's folder: ours goes into one of its own, so that removing it can never touch theirs.
    StrCpy $INSTDIR "$INSTDIR\${PRODUCT}"
  ${EndIf}
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
    !insertmacro StopWith 2 "Windows allows no writing in $INSTDIR. Nothing was changed."
  ${EndIf}
  SetOutPath "$INSTDIR\.new"
  ClearErrors
  File /r "${STAGE}/*.*"
  SetOutPath "$INSTDIR"
  ${If} ${Errors}
    RMDir /r "$INSTDIR\.new"
    RMDir "$INSTDIR\.old"
    !insertmacro StopWith 2 "Not all files could be written. Nothing was changed."
  ${EndIf}
  StrCpy $R8 ""
  !insertmacro EachPart Swap
  ${If} $R8 != ""
    !insertmacro EachPart SwapBack
    RMDir /r "$INSTDIR\.new"
    RMDir /r "$INSTDIR\.old"
    !insertmacro StopWith 2 "Windows did not allow replacing $R8. The version that was there is as before."
  ${EndIf}
  RMDir /r "$INSTDIR\.new"
  RMDir /r "$INSTDIR\.old"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  Call Register
SectionEnd

Function Register
  CreateShortcut "$SMPROGRAMS\${PRODUCT}.lnk" "$INSTDIR\python\pythonw.exe" "${START}" "$INSTDIR\app.ico" 0 SW_SHOWNORMAL "" "Find out why cuDNN doesn't start"
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
  WriteRegStr SHCTX "Software\Classes\${PROGID}\DefaultIcon" "" "$INSTDIR\app.ico"
  WriteRegStr SHCTX "Software\Classes\${PROGID}\shell\open\command" "" '"$INSTDIR\python\pythonw.exe" ${START} "%1"'
  WriteRegStr SHCTX "Software\Classes\${SUFFIX}" "" "${PROGID}"
  ; Reports are Markdown: offered under "Open with", never taken from the person's editor.
  WriteRegStr SHCTX "Software\Classes\.md\OpenWithProgids" "${PROGID}" ""
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

Function StartIt
  ${If} $Mode == "all"
    ; Through Explorer, so that the program doesn't inherit Setup's administrator rights.
    Exec '"$WINDIR\explorer.exe" "$SMPROGRAMS\${PRODUCT}.lnk"'
  ${Else}
    Exec '"$INSTDIR\python\pythonw.exe" ${START}'
  ${EndIf}
FunctionEnd

; ---- uninstaller --------------------------------------------------------------------------

Function un.onInit
  ${IfNot} ${FileExists} "$INSTDIR\install.marker"
    !insertmacro StopWith 2 "This is not a folder of ${PRODUCT}. Nothing was removed."
  ${EndIf}
  FileOpen $0 "$INSTDIR\install.marker" r
  FileRead $0 $Mode
  FileClose $0
  SetShellVarContext current
  ${If} $Mode == "all"
    !insertmacro Admin $0
    ${If} $0 != "Admin"
      ${If} ${Silent}
        SetErrorLevel 5
        Quit
      ${EndIf}
      ExecShell "runas" "$INSTDIR\uninstall.exe"
      Quit
    ${EndIf}
    SetShellVarContext all
  ${EndIf}
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/SETTINGS" $R1
  ${IfNot} ${Errors}
    StrCpy $Settings 1
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/LIBRARIES" $R1
  ${IfNot} ${Errors}
    StrCpy $Libraries 1
  ${EndIf}
FunctionEnd

Function un.AskWhat
  !insertmacro MUI_HEADER_TEXT "Uninstall ${PRODUCT}" "Changes it made to this computer stay as they are."
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 8u 100% 24u "To take changes back, close this window, open ${PRODUCT} and choose $\"${UNDO}$\" first."
  Pop $0
  ${NSD_CreateLabel} 0 40u 100% 12u "Remove these too?"
  Pop $0
  ${NSD_CreateCheckBox} 8u 56u 95% 12u "My &settings and the history of changes"
  Pop $TickSettings
  ${NSD_CreateCheckBox} 8u 74u 95% 12u "The copies of &cuDNN that it installed for me"
  Pop $TickLibraries
  ${NSD_CreateLabel} 20u 88u 90% 24u "Programs that use these copies will no longer find cuDNN."
  Pop $0
  nsDialogs::Show
FunctionEnd

Function un.TakeWhat
  ${NSD_GetState} $TickSettings $Settings
  ${NSD_GetState} $TickLibraries $Libraries
FunctionEnd

!macro Forget PART
  RMDir /r "$LOCALAPPDATA\${PRODUCT}\${PART}"
  Delete "$LOCALAPPDATA\${PRODUCT}\${PART}"
!macroend

Section Uninstall
  SetDetailsPrint none
  Call un.WaitUntilClosed
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
  !insertmacro EachPart RemovePart
  RMDir /r "$INSTDIR\.new"
  RMDir /r "$INSTDIR\.old"
  Delete "$INSTDIR\install.marker"
  Delete "$INSTDIR\uninstall.exe"
  SetOutPath "$TEMP"
  RMDir "$INSTDIR"
  ${If} $Registered == 1
    Call un.Unregister
  ${EndIf}
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
SectionEnd

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
