/* What other programs of Windows do to bindpose, for tests/windows. */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

/* helper hold FILE: keeps a file open, shared with nobody, until standard input ends. */
static int hold(const wchar_t *path)
{
	HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
	if (file == INVALID_HANDLE_VALUE)
		return 1;
	puts("held");
	fflush(stdout);
	while (getchar() != EOF)
		;
	CloseHandle(file);
	return 0;
}

/* helper console CODEPAGE COMMAND: runs a command line in a console of a code page; prints what it shows, and whether any of it is in
 * colour. */
static int console(int page, wchar_t *command)
{
	FILE *out = _wfopen(L"console.txt", L"wb");
	FreeConsole();
	if (!AllocConsole() || !out)
		return 1;
	SetConsoleOutputCP(page);
	HANDLE screen = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
	SECURITY_ATTRIBUTES inherit = { sizeof inherit, NULL, TRUE };
	HANDLE passed = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0, NULL);
	STARTUPINFOW start = { sizeof start };
	start.dwFlags = STARTF_USESTDHANDLES;
	start.hStdOutput = start.hStdError = passed;
	PROCESS_INFORMATION child;
	if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child))
		return 2;
	WaitForSingleObject(child.hProcess, INFINITE);
	DWORD code = 0;
	GetExitCodeProcess(child.hProcess, &code);
	CONSOLE_SCREEN_BUFFER_INFO info;
	GetConsoleScreenBufferInfo(screen, &info);
	BOOL coloured = FALSE;
	for (SHORT row = 0; row <= info.dwCursorPosition.Y; row++) {
		wchar_t text[512];
		WORD colours[512];
		DWORD count = 0;
		DWORD width = info.dwSize.X < 512 ? info.dwSize.X : 512;
		COORD at = { 0, row };
		ReadConsoleOutputCharacterW(screen, text, width, at, &count);
		ReadConsoleOutputAttribute(screen, colours, width, at, &count);
		for (DWORD column = 0; column < count; column++)
			coloured |= text[column] != L' ' && colours[column] != info.wAttributes;
		while (count > 0 && text[count - 1] == L' ')
			count--;
		char bytes[2048];
		int length = WideCharToMultiByte(CP_UTF8, 0, text, count, bytes, sizeof bytes, NULL, NULL);
		fwrite(bytes, 1, length, out);
		fputc('\n', out);
	}
	fprintf(out, "exit code %lu, %s colours\n", code, coloured ? "with" : "without");
	fclose(out);
	return 0;
}

/* helper resources PROGRAM: prints the number of its icons, and its name and version as Explorer shows them. */
static int resources(const wchar_t *program)
{
	static char info[65536];
	wchar_t *name, *version;
	UINT length;
	if (!GetFileVersionInfoW(program, 0, sizeof info, info) ||
		!VerQueryValueW(info, L"\\StringFileInfo\\040904b0\\OriginalFilename", (void **)&name, &length) ||
		!VerQueryValueW(info, L"\\StringFileInfo\\040904b0\\FileVersion", (void **)&version, &length))
		return 1;
	printf("%u icon, %ls %ls\n", ExtractIconExW(program, -1, NULL, NULL, 0), name, version);
	return 0;
}

int wmain(int count, wchar_t **arguments)
{
	if (count == 3 && !wcscmp(arguments[1], L"hold"))
		return hold(arguments[2]);
	if (count == 4 && !wcscmp(arguments[1], L"console"))
		return console(_wtoi(arguments[2]), arguments[3]);
	if (count == 3 && !wcscmp(arguments[1], L"resources"))
		return resources(arguments[2]);
	return 64;
}
