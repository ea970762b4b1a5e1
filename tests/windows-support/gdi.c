/* An opengl32.dll that is what Windows has without a graphics driver: OpenGL 1.1, no extensions, "GDI Generic". */
#define _GDI32_
#include <windows.h>

static int context;

#define EXPORT __declspec(dllexport)

EXPORT HGLRC WINAPI wglCreateContext(HDC device)
{
	return (HGLRC)&context;
}

EXPORT BOOL WINAPI wglMakeCurrent(HDC device, HGLRC made)
{
	return TRUE;
}

EXPORT BOOL WINAPI wglDeleteContext(HGLRC made)
{
	return TRUE;
}

EXPORT HGLRC WINAPI wglGetCurrentContext(void)
{
	return (HGLRC)&context;
}

EXPORT HDC WINAPI wglGetCurrentDC(void)
{
	return NULL;
}

EXPORT BOOL WINAPI wglShareLists(HGLRC one, HGLRC other)
{
	return TRUE;
}

EXPORT PROC WINAPI wglGetProcAddress(LPCSTR name)
{
	return NULL;
}

EXPORT int WINAPI wglDescribePixelFormat(HDC device, int format, UINT size, PIXELFORMATDESCRIPTOR *made)
{
	PIXELFORMATDESCRIPTOR only = {
		.nSize = sizeof only, .nVersion = 1,
		.dwFlags = PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL | PFD_DOUBLEBUFFER | PFD_GENERIC_FORMAT,
		.cColorBits = 32, .cRedBits = 8, .cGreenBits = 8, .cBlueBits = 8, .cAlphaBits = 8, .cDepthBits = 32, .cStencilBits = 8,
	};
	if (made && size >= sizeof only)
		*made = only;
	return 1;
}

EXPORT int WINAPI wglChoosePixelFormat(HDC device, const PIXELFORMATDESCRIPTOR *wanted)
{
	return 1;
}

EXPORT int WINAPI wglGetPixelFormat(HDC device)
{
	return 1;
}

EXPORT BOOL WINAPI wglSetPixelFormat(HDC device, int format, const PIXELFORMATDESCRIPTOR *wanted)
{
	return TRUE;
}

EXPORT BOOL WINAPI wglSwapBuffers(HDC device)
{
	return TRUE;
}

EXPORT const char *WINAPI glGetString(unsigned name)
{
	switch (name) {
	case 0x1F00:
		return "Microsoft Corporation";
	case 0x1F01:
		return "GDI Generic";
	case 0x1F02:
		return "1.1.0";
	default:
		return "GL_WIN_swap_hint GL_EXT_bgra GL_EXT_paletted_texture";
	}
}
