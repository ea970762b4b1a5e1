// @ts-check
/**
 * Preamble with which WebGL 2 accepts the project's shaders, which are GLSL 1.10 and 1.20. The shader files are not
 * changed.
 */

const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
#define texture2D texture
#define texture2DLod textureLod
`;

const VERTEX = `${COMMON}#define attribute in
#define varying out
`;

const FRAGMENT = `${COMMON}#define varying in
out highp vec4 fragment_colour;
#define gl_FragColor fragment_colour
`;

/**
 * Converts a shader for WebGL 2.
 * @param {string} text GLSL 1.10 or 1.20, If it has `#version`, it is in the first line.
 * @param {boolean} isVertex
 */
export function forWebGl(text, isVertex) {
  return (isVertex ? VERTEX : FRAGMENT) + text.replace(/^\s*#version[^\n]*\n/, '');
}
