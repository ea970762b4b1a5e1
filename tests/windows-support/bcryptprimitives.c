/* Wine before 8.13 has no bcryptprimitives.dll, from which Rust's standard library takes random bytes. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size)
{
	return SystemFunction036(buffer, (ULONG)size);
}
