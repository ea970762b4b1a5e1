// @ts-check
/**
 * OpenGL 2.1 on top of WebGL 2, as far as the drawing module uses it: the module's imports `gl.*`. Names of objects are
 * indices into tables, strings and arrays are in the module's memory.
 */

const EXTENSIONS = [
  'GL_ARB_framebuffer_object', 'GL_EXT_framebuffer_object', 'GL_EXT_framebuffer_blit', 'GL_EXT_framebuffer_multisample',
  'GL_ARB_vertex_array_object', 'GL_ARB_texture_float', 'GL_ARB_sampler_objects', 'GL_ARB_instanced_arrays',
  'GL_ARB_draw_instanced', 'GL_EXT_blend_minmax', 'GL_ARB_draw_buffers', 'GL_ARB_texture_non_power_of_two',
  'GL_ARB_depth_texture', 'GL_ARB_compatibility', 'GL_OES_rgb8_rgba8',
].join(' ');

// Names that are missing in WebGL.
const CLAMP_TO_BORDER = 0x812D;
const LINE = 0x1B01;
const NAME_LENGTHS = [0x8B87, 0x8B8A];
const INFO_LOG_LENGTH = 0x8B84;
const LONGEST_NAME = 256;

/** @typedef {WebGLBuffer & { indices?: Uint8Array, lines?: Map<string, WebGLBuffer> }} Buffer */

/**
 * @param {WebGL2RenderingContext} gl
 * @param {() => WebAssembly.Exports & { memory: WebAssembly.Memory, room: (length: number) => number }} module
 * @returns {Record<string, Function>}
 */
export function openGl(gl, module) {
  gl.getExtension('EXT_color_buffer_float');
  const about = gl.getExtension('WEBGL_debug_renderer_info');
  const memory = () => module().memory.buffer;
  const view = () => new DataView(memory());
  /** @param {number} at @param {number} length */
  const bytes = (at, length) => new Uint8Array(memory(), at, length);
  /** @param {number} at @param {number} length */
  const floats = (at, length) => new Float32Array(memory(), at, length);
  /** @param {number} at @param {number} [length] */
  const text = (at, length) => {
    const rest = new Uint8Array(memory(), at);
    return new TextDecoder().decode(rest.slice(0, length ?? rest.indexOf(0)));
  };
  /** @param {string} value @param {number} most @param {number} lengthAt @param {number} at */
  const write = (value, most, lengthAt, at) => {
    const encoded = new TextEncoder().encode(value).slice(0, Math.max(0, most - 1));
    bytes(at, encoded.length + 1).set([...encoded, 0]);
    if (lengthAt) view().setInt32(lengthAt, encoded.length, true);
  };
  /** @param {number} at @param {any} value */
  const writeNumbers = (at, value) => {
    const all = value?.length === undefined || typeof value === 'string' ? [value] : [...value];
    all.forEach((one, place) => view().setInt32(at + 4 * place, typeof one === 'object' ? 0 : Number(one ?? 0), true));
  };
  /** @type {Map<string, number>} */
  const strings = new Map();
  /** @param {string} value */
  const string = value => {
    const known = strings.get(value);
    if (known) return known;
    const at = module().room(value.length * 3 + 1);
    write(value, value.length * 3 + 1, 0, at);
    strings.set(value, at);
    return at;
  };

  /** Creates a table of objects by name. The name 0 means no object. @param {() => any} create @param {(object: any) => void} remove */
  const table = (create, remove) => {
    /** @type {any[]} */
    const objects = [null];
    return {
      /** @param {number} name */
      get: name => objects[name] ?? null,
      add: () => objects.push(create()) - 1,
      /** @param {any} object */
      put: object => objects.push(object) - 1,
      /** @param {number} name */
      drop: name => { if (objects[name]) remove(objects[name]); objects[name] = null; },
      /** @param {number} count @param {number} at */
      generate(count, at) { for (let i = 0; i < count; i++) view().setUint32(at + 4 * i, this.add(), true); },
      /** @param {number} count @param {number} at */
      removeAll(count, at) { for (let i = 0; i < count; i++) this.drop(view().getUint32(at + 4 * i, true)); },
    };
  };
  const buffers = table(() => gl.createBuffer(), it => {
    it.lines?.forEach((/** @type {WebGLBuffer} */ lines) => gl.deleteBuffer(lines));
    gl.deleteBuffer(it);
  });
  const textures = table(() => gl.createTexture(), it => gl.deleteTexture(it));
  const framebuffers = table(() => gl.createFramebuffer(), it => gl.deleteFramebuffer(it));
  const renderbuffers = table(() => gl.createRenderbuffer(), it => gl.deleteRenderbuffer(it));
  const samplers = table(() => gl.createSampler(), it => gl.deleteSampler(it));
  const arrays = table(() => gl.createVertexArray(), it => gl.deleteVertexArray(it));
  const programs = table(() => gl.createProgram(), it => gl.deleteProgram(it));
  const shaders = table(() => null, it => gl.deleteShader(it));
  /** @type {(WebGLUniformLocation | null)[]} */
  const locations = [];

  let polygonMode = 0x1B02;
  /** Index buffer of each vertex array. @type {Map<any, Buffer | null>} */
  const indexBuffers = new Map();
  /** @type {any} */
  let array = null;

  /** @type {Set<number>} */
  const features = new Set([
    gl.BLEND, gl.CULL_FACE, gl.DEPTH_TEST, gl.DITHER, gl.POLYGON_OFFSET_FILL, gl.SCISSOR_TEST, gl.STENCIL_TEST,
    gl.SAMPLE_ALPHA_TO_COVERAGE, gl.SAMPLE_COVERAGE,
  ]);
  /** @type {Set<number>} */
  const parameters = new Set([
    gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R, gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER,
    gl.TEXTURE_BASE_LEVEL, gl.TEXTURE_MAX_LEVEL, gl.TEXTURE_COMPARE_MODE, gl.TEXTURE_COMPARE_FUNC,
  ]);
  /** @type {Set<number>} */
  const stores = new Set([gl.UNPACK_ALIGNMENT, gl.PACK_ALIGNMENT]);
  /** WebGL repeats an image's edge where OpenGL is black outside of it. @param {number} value */
  const wrapped = value => (value === CLAMP_TO_BORDER ? gl.CLAMP_TO_EDGE : value);
  /** Formats and types for empty images whose internal format requires another one. @type {Record<number, [number, number]>} */
  const formats = { [gl.RGBA32F]: [gl.RGBA, gl.FLOAT], [gl.RGBA16F]: [gl.RGBA, gl.HALF_FLOAT], [gl.RGBA8]: [gl.RGBA, gl.UNSIGNED_BYTE] };
  /** @type {Record<number, number>} */
  const channels = { [gl.RGBA]: 4, [gl.RGB]: 3, [gl.RG]: 2, [gl.RED]: 1, [gl.LUMINANCE]: 1, [gl.ALPHA]: 1 };
  /** @param {number} width @param {number} height @param {number} format @param {number} type @param {number} at */
  const texels = (width, height, format, type, at) => {
    const count = width * height * (channels[format] ?? 4);
    if (type === gl.FLOAT) return new Float32Array(memory(), at, count);
    if (type === gl.HALF_FLOAT) return new Uint16Array(memory(), at, count);
    return new Uint8Array(memory(), at, count);
  };
  /** WebGL has a single name for the canvas' buffers. @param {number} name */
  const drawn = name => (name === gl.NONE || name >= gl.COLOR_ATTACHMENT0 ? name : gl.BACK);
  /** @param {number} type */
  const indexSize = type => (type === gl.UNSIGNED_INT ? 4 : type === gl.UNSIGNED_SHORT ? 2 : 1);

  /** Draws the edges of an index buffer's triangles, for which OpenGL has a polygon mode. */
  const drawLines = (/** @type {number} */ count, /** @type {number} */ type, /** @type {number} */ offset, /** @type {number} */ copies) => {
    const buffer = indexBuffers.get(array);
    if (!buffer?.indices) return;
    buffer.lines ??= new Map();
    const key = `${offset} ${count}`;
    let lines = buffer.lines.get(key);
    if (!lines) {
      const Kind = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array }[indexSize(type)] ?? Uint32Array;
      const corners = new Kind(buffer.indices.slice(offset, offset + count * indexSize(type)).buffer);
      const ends = new Uint32Array(count * 2);
      for (let i = 0; i + 2 < count; i += 3) {
        const [a, b, c] = [corners[i], corners[i + 1], corners[i + 2]];
        ends.set([a, b, b, c, c, a], 2 * i);
      }
      lines = gl.createBuffer();
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, lines);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, ends, gl.STATIC_DRAW);
      buffer.lines.set(key, lines);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, lines);
    gl.drawElementsInstanced(gl.LINES, count * 2, gl.UNSIGNED_INT, 0, copies);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
  };
  /** @param {number} name @param {number} at */
  const active = (name, at, /** @type {WebGLActiveInfo | null} */ info, /** @type {number[]} */ [most, lengthAt, sizeAt, typeAt, nameAt]) => {
    if (!info) return;
    write(info.name, most, lengthAt, nameAt);
    view().setInt32(sizeAt, info.size, true);
    view().setUint32(typeAt, info.type, true);
  };
  /** @param {number} at @param {number} count @param {number} size @param {(location: any, values: Float32Array) => void} set */
  const uniform = (/** @type {number} */ location, count, /** @type {number} */ at, size, set) => set(locations[location], floats(at, count * size));

  /** @type {Record<string, (...numbers: number[]) => any>} */
  const own = {
    glActiveTexture: (unit) => gl.activeTexture(unit),
    glAttachShader: (program, shader) => gl.attachShader(programs.get(program), shaders.get(shader)),
    glBindBuffer(target, name) {
      if (target === gl.ELEMENT_ARRAY_BUFFER) indexBuffers.set(array, buffers.get(name));
      gl.bindBuffer(target, buffers.get(name));
    },
    glBindFramebuffer: (target, name) => gl.bindFramebuffer(target, framebuffers.get(name)),
    glBindRenderbuffer: (target, name) => gl.bindRenderbuffer(target, renderbuffers.get(name)),
    glBindSampler: (unit, name) => gl.bindSampler(unit, samplers.get(name)),
    glBindTexture: (target, name) => gl.bindTexture(target, textures.get(name)),
    glBindVertexArray(name) {
      array = arrays.get(name);
      gl.bindVertexArray(array);
    },
    glBufferData(target, size, at, usage) {
      const own = target === gl.ELEMENT_ARRAY_BUFFER && indexBuffers.get(array);
      if (own && at) own.indices = bytes(at, size).slice();
      if (at) gl.bufferData(target, bytes(at, size), usage);
      else gl.bufferData(target, size, usage);
    },
    glBufferSubData: (target, offset, size, at) =>
      gl.bufferSubData(target, offset, bytes(at, size)),
    glCompileShader: (name) => gl.compileShader(shaders.get(name)),
    glCreateProgram: () => programs.add(),
    glCreateShader: (kind) => shaders.put(gl.createShader(kind)),
    glDeleteBuffers: (count, at) => buffers.removeAll(count, at),
    glDeleteFramebuffers: (count, at) => framebuffers.removeAll(count, at),
    glDeleteProgram: (name) => programs.drop(name),
    glDeleteRenderbuffers: (count, at) => renderbuffers.removeAll(count, at),
    glDeleteSamplers: (count, at) => samplers.removeAll(count, at),
    glDeleteShader: (name) => shaders.drop(name),
    glDeleteTextures: (count, at) => textures.removeAll(count, at),
    glDeleteVertexArrays: (count, at) => arrays.removeAll(count, at),
    glDisable: (feature) => { if (features.has(feature)) gl.disable(feature); },
    glDrawBuffer: (name) => gl.drawBuffers([drawn(name)]),
    glDrawBuffers: (count, at) =>
      gl.drawBuffers([...new Uint32Array(memory(), at, count)].map(drawn)),
    glDrawElements(mode, count, type, offset) {
      if (polygonMode === LINE && mode === gl.TRIANGLES) drawLines(count, type, offset, 1);
      else gl.drawElements(mode, count, type, offset);
    },
    glDrawElementsInstanced(mode, count, type, offset, copies) {
      if (polygonMode === LINE && mode === gl.TRIANGLES) drawLines(count, type, offset, copies);
      else gl.drawElementsInstanced(mode, count, type, offset, copies);
    },
    glEnable: (feature) => { if (features.has(feature)) gl.enable(feature); },
    glFramebufferRenderbuffer: (target, place, kind, name) =>
      gl.framebufferRenderbuffer(target, place, kind, renderbuffers.get(name)),
    glFramebufferTexture2D: (target, place, kind, name, level) =>
      gl.framebufferTexture2D(target, place, kind, textures.get(name), level),
    glGenBuffers: (count, at) => buffers.generate(count, at),
    glGenFramebuffers: (count, at) => framebuffers.generate(count, at),
    glGenRenderbuffers: (count, at) => renderbuffers.generate(count, at),
    glGenSamplers: (count, at) => samplers.generate(count, at),
    glGenTextures: (count, at) => textures.generate(count, at),
    glGenVertexArrays: (count, at) => arrays.generate(count, at),
    glGetActiveAttrib: (program, index, ...to) =>
      active(program, index, gl.getActiveAttrib(programs.get(program), index), to),
    glGetActiveUniform: (program, index, ...to) =>
      active(program, index, gl.getActiveUniform(programs.get(program), index), to),
    glGetAttribLocation: (program, at) => gl.getAttribLocation(programs.get(program), text(at)),
    glGetBooleanv: (name, at) => view().setUint8(at, 0),
    glGetBufferParameteriv: (target, name, at) => writeNumbers(at, gl.getBufferParameter(target, name)),
    glGetRenderbufferParameteriv: (target, name, at) => writeNumbers(at, gl.getRenderbufferParameter(target, name)),
    glGetTexLevelParameteriv: (target, level, name, at) => writeNumbers(at, 0),
    glGetFloatv: (name, at) => view().setFloat32(at, Number(gl.getParameter(name) ?? 0), true),
    glGetIntegerv: (name, at) => writeNumbers(at, gl.getParameter(name)),
    glGetProgramInfoLog: (program, most, lengthAt, at) =>
      write(gl.getProgramInfoLog(programs.get(program)) ?? '', most, lengthAt, at),
    glGetProgramiv(program, name, at) {
      const log = () => (gl.getProgramInfoLog(programs.get(program)) ?? '').length * 3 + 1;
      const value = name === INFO_LOG_LENGTH ? log() : NAME_LENGTHS.includes(name) ? LONGEST_NAME : gl.getProgramParameter(programs.get(program), name);
      writeNumbers(at, value);
    },
    glGetShaderInfoLog: (shader, most, lengthAt, at) =>
      write(gl.getShaderInfoLog(shaders.get(shader)) ?? '', most, lengthAt, at),
    glGetShaderiv(shader, name, at) {
      const log = () => (gl.getShaderInfoLog(shaders.get(shader)) ?? '').length * 3 + 1;
      writeNumbers(at, name === INFO_LOG_LENGTH ? log() : gl.getShaderParameter(shaders.get(shader), name));
    },
    glGetString(name) {
      if (name === gl.VERSION) return string('2.1 on WebGL 2');
      if (name === gl.SHADING_LANGUAGE_VERSION) return string('1.20');
      if (name === gl.VENDOR) return string(String(gl.getParameter(about ? about.UNMASKED_VENDOR_WEBGL : gl.VENDOR)));
      if (name === gl.RENDERER) return string(String(gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
      return string(EXTENSIONS);
    },
    glGetUniformLocation(program, at) {
      const [object, name] = [programs.get(program), text(at)];
      const first = gl.getUniformLocation(object, name);
      if (!first) return -1;
      // In OpenGL, the elements of an array have consecutive locations.
      const base = name.replace(/\[0\]$/, '');
      const count = gl.getProgramParameter(object, gl.ACTIVE_UNIFORMS);
      const infos = Array.from({ length: count }, (_, index) => gl.getActiveUniform(object, index));
      const size = infos.find(info => info?.name === `${base}[0]`)?.size ?? 1;
      const start = locations.push(first) - 1;
      for (let i = 1; i < size; i++) locations.push(gl.getUniformLocation(object, `${base}[${i}]`));
      return start;
    },
    glHint() {},
    glLinkProgram: (program) => gl.linkProgram(programs.get(program)),
    glPixelStorei: (name, value) => { if (stores.has(name)) gl.pixelStorei(name, value); },
    glPointSize() {},
    glPolygonMode: (side, mode) => { polygonMode = mode; },
    glReadBuffer: (name) => gl.readBuffer(drawn(name)),
    glReadPixels: (x, y, width, height, format, type, at) =>
      gl.readPixels(x, y, width, height, format, type, texels(width, height, format, type, at)),
    glSamplerParameterf: (name, key, value) => { if (parameters.has(key)) gl.samplerParameterf(samplers.get(name), key, value); },
    glSamplerParameteri: (name, key, value) => { if (parameters.has(key)) gl.samplerParameteri(samplers.get(name), key, wrapped(value)); },
    glShaderSource(name, count, at, lengths) {
      let source = '';
      for (let i = 0; i < count; i++) {
        const length = lengths ? view().getInt32(lengths + 4 * i, true) : -1;
        source += text(view().getUint32(at + 4 * i, true), length < 0 ? undefined : length);
      }
      gl.shaderSource(shaders.get(name), source);
    },
    glTexImage2D(target, level, internal, width, height, border, format, type, at) {
      const [itsFormat, itsType] = at ? [format, type] : formats[internal] ?? [format, type];
      gl.texImage2D(target, level, internal, width, height, border, itsFormat, itsType, at ? texels(width, height, itsFormat, itsType, at) : null);
    },
    glTexParameteri: (target, key, value) => { if (parameters.has(key)) gl.texParameteri(target, key, wrapped(value)); },
    glTexSubImage2D: (target, level, x, y, width, height, format, type, at) =>
      gl.texSubImage2D(target, level, x, y, width, height, format, type, texels(width, height, format, type, at)),
    glUniform1f: (location, value) => gl.uniform1f(locations[location], value),
    glUniform1i: (location, value) => gl.uniform1i(locations[location], value),
    glUniform1fv: (location, count, at) => uniform(location, count, at, 1, (to, values) => gl.uniform1fv(to, values)),
    glUniform2fv: (location, count, at) => uniform(location, count, at, 2, (to, values) => gl.uniform2fv(to, values)),
    glUniform3fv: (location, count, at) => uniform(location, count, at, 3, (to, values) => gl.uniform3fv(to, values)),
    glUniform4fv: (location, count, at) => uniform(location, count, at, 4, (to, values) => gl.uniform4fv(to, values)),
    glUniformMatrix2fv: (location, count, turned, at) => uniform(location, count, at, 4, (to, values) => gl.uniformMatrix2fv(to, Boolean(turned), values)),
    glUniformMatrix3fv: (location, count, turned, at) => uniform(location, count, at, 9, (to, values) => gl.uniformMatrix3fv(to, Boolean(turned), values)),
    glUniformMatrix4fv: (location, count, turned, at) => uniform(location, count, at, 16, (to, values) => gl.uniformMatrix4fv(to, Boolean(turned), values)),
    glUseProgram: (name) => gl.useProgram(programs.get(name)),
    glColorMask: (red, green, blue, alpha) => gl.colorMask(Boolean(red), Boolean(green), Boolean(blue), Boolean(alpha)),
    glDepthMask: (on) => gl.depthMask(Boolean(on)),
    glVertexAttribPointer: (index, size, type, normalised, stride, offset) =>
      gl.vertexAttribPointer(index, size, type, Boolean(normalised), stride, offset),
  };
  // Everything else has the same name, numbers and meaning in WebGL.
  return new Proxy(own, {
    get(known, name) {
      const key = String(name);
      const same = key.slice(2, 3).toLowerCase() + key.slice(3);
      return known[key] ?? (/** @type {any} */ (gl))[same].bind(gl);
    },
  });
}
