// @ts-check
/**
 * What stands before the project's shaders, GLSL 1.10 and 1.20, so that WebGL 2 takes them. The files themselves stay as
 * they are.
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
 * A shader for WebGL 2.
 * @param {string} text GLSL 1.10 or 1.20, `#version` in its first line if anywhere.
 * @param {boolean} isVertex
 */
export function forWebGl(text, isVertex) {
  return (isVertex ? VERTEX : FRAGMENT) + text.replace(/^\s*#version[^\n]*\n/, '');
}
