//! OpenGL 2.1, which the page implements on top of WebGL 2, as imports of the module by name.

use std::ffi::c_void;

/// Declares imports by signature, and finds their addresses by name.
macro_rules! imports {
    ($($signature:tt: $($name:ident)+;)+) => {
        #[link(wasm_import_module = "gl")]
        unsafe extern "C" {
            $($(imports!(@declare $name $signature);)+)+
        }

        /// Returns the address of a function, or null if the page does not implement it. Names with extension suffixes
        /// mean the function without suffix.
        pub fn address(name: &str) -> *const c_void {
            let known = ["ARB", "EXT", "OES"].into_iter().find_map(|tail| name.strip_suffix(tail)).unwrap_or(name);
            match known {
                $($(stringify!($name) => $name as *const c_void,)+)+
                _ => std::ptr::null(),
            }
        }
    };
    (@declare $name:ident ($($kind:ty),*)) => { fn $name($(_: $kind),*); };
    (@declare $name:ident [$($kind:ty),*]) => { fn $name($(_: $kind),*) -> i32; };
}

// Only sizes matter here: pointers, names and enumerations have 32 bits. Functions in brackets return such a value.
imports! {
    (): glFinish glFlush;
    []: glCreateProgram glGetError;
    (i32): glActiveTexture glBindVertexArray glBlendEquation glClear glClearStencil glCompileShader glCullFace glDeleteProgram
        glDeleteShader glDepthFunc glDepthMask glDisable glDrawBuffer glEnable glEnableVertexAttribArray glGenerateMipmap
        glLinkProgram glReadBuffer glUseProgram;
    [i32]: glCheckFramebufferStatus glCreateShader glGetString;
    (i32, i32): glAttachShader glBindBuffer glBindFramebuffer glBindRenderbuffer glBindSampler glBindTexture
        glBlendEquationSeparate glBlendFunc glDeleteBuffers glDeleteFramebuffers glDeleteRenderbuffers glDeleteSamplers
        glDeleteTextures glDeleteVertexArrays glDrawBuffers glGenBuffers glGenFramebuffers glGenRenderbuffers glGenSamplers
        glGenTextures glGenVertexArrays glGetBooleanv glGetFloatv glGetIntegerv glHint glPixelStorei glPolygonMode glUniform1i
        glVertexAttribDivisor;
    [i32, i32]: glGetAttribLocation glGetUniformLocation;
    (i32, i32, i32): glDrawArrays glGetBufferParameteriv glGetProgramiv glGetRenderbufferParameteriv glGetShaderiv glSamplerParameteri glTexParameteri glUniform1fv glUniform2fv
        glUniform3fv glUniform4fv;
    (i32, i32, i32, i32): glBlendFuncSeparate glBufferData glBufferSubData glColorMask glDrawArraysInstanced glDrawElements
        glFramebufferRenderbuffer glGetProgramInfoLog glGetShaderInfoLog glGetTexLevelParameteriv glRenderbufferStorage glScissor glShaderSource
        glUniformMatrix2fv glUniformMatrix3fv glUniformMatrix4fv glViewport;
    (i32, i32, i32, i32, i32): glDrawElementsInstanced glFramebufferTexture2D glRenderbufferStorageMultisample;
    (i32, i32, i32, i32, i32, i32): glVertexAttribPointer;
    (i32, i32, i32, i32, i32, i32, i32): glGetActiveAttrib glGetActiveUniform glReadPixels;
    (i32, i32, i32, i32, i32, i32, i32, i32, i32): glTexImage2D glTexSubImage2D;
    (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32): glBlitFramebuffer;
    (f32): glLineWidth glPointSize;
    (f32, f32): glPolygonOffset;
    (f32, f32, f32, f32): glBlendColor glClearColor;
    (f64): glClearDepth;
    (f64, f64): glDepthRange;
    (i32, f32): glUniform1f;
    (i32, i32, f32): glSamplerParameterf;
}
