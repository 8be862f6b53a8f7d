/* What Windows' question about an administrator's rights does, for Wine, which asks nobody:
 * "rights.exe WORDS" runs the words as a command with the other half of this account's rights (those
 * of an administrator, or without them) and ends with its exit code. */
#include <windows.h>

int wmain(void)
{
    wchar_t *words = GetCommandLineW();
    HANDLE own, other, token;
    DWORD size, code = 1;
    STARTUPINFOW start = {sizeof start};
    PROCESS_INFORMATION made;

    if (*words == '"')
        for (words++; *words && *words != '"'; words++) {}
    while (*words && *words != ' ') words++;
    while (*words == ' ') words++;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &own)) return 101;
    if (!GetTokenInformation(own, TokenLinkedToken, &other, sizeof other, &size)) return 102;
    if (!DuplicateTokenEx(other, TOKEN_ALL_ACCESS, NULL, SecurityImpersonation, TokenPrimary, &token))
        return 103;
    if (!CreateProcessAsUserW(token, NULL, words, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made))
        return 104;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    return code;
}
