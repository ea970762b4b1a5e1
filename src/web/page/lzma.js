// @ts-check
/**
 * Unpacks files in LZMA, as `xz --format=lzma` writes them: a fifth smaller than gzip. Browsers do not read the format themselves.
 * Terms and numbers are those of the LZMA specification (lzma-specification.txt in the LZMA SDK).
 */

const STATES = 12;
const POSITION_STATES = 16;
/** A match of two bytes is the shortest. */
const SHORTEST = 2;
const END_MARKER = 0xFFFFFFFF;

/** Probabilities of one half, of 2048. @param {number} count */
const probabilities = count => new Uint16Array(count).fill(1024);

/** Lengths of matches, in three ranges. */
const lengths = () => ({ choice: probabilities(2), low: probabilities(POSITION_STATES * 8), middle: probabilities(POSITION_STATES * 8), high: probabilities(256) });

/** Reads bits by their probabilities, which follow them. */
class RangeDecoder {
  #range = END_MARKER;
  #code = 0;
  #at;

  /** @param {Uint8Array} packed @param {number} at */
  constructor(packed, at) {
    this.packed = packed;
    this.#at = at + 1;
    for (let count = 0; count < 4; count++) this.#code = this.#code * 256 + this.#next();
  }

  #next() {
    if (this.#at >= this.packed.length) throw new Error('the program is cut off: load the page again');
    return this.packed[this.#at++];
  }

  #normalize() {
    if (this.#range >= 2 ** 24) return;
    this.#range *= 256;
    this.#code = this.#code * 256 + this.#next();
  }

  /** @param {Uint16Array} of @param {number} index */
  bit(of, index) {
    const probability = of[index];
    const bound = (this.#range >>> 11) * probability;
    const isZero = this.#code < bound;
    if (isZero) {
      this.#range = bound;
      of[index] = probability + ((2048 - probability) >> 5);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      of[index] = probability - (probability >> 5);
    }
    this.#normalize();
    return isZero ? 0 : 1;
  }

  /** A number of bits that are equally likely. @param {number} count */
  direct(count) {
    let value = 0;
    for (; count > 0; count--) {
      this.#range = Math.floor(this.#range / 2);
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      value = value * 2 + bit;
      this.#normalize();
    }
    return value;
  }

  /** A number of bits, the highest first, each with a probability of its own. @param {Uint16Array} of @param {number} start @param {number} count */
  tree(of, start, count) {
    let value = 1;
    for (let left = count; left > 0; left--) value = value * 2 + this.bit(of, start + value);
    return value - 2 ** count;
  }

  /** The same, the lowest first. @param {Uint16Array} of @param {number} start @param {number} count */
  reverseTree(of, start, count) {
    let [node, value] = [1, 0];
    for (let place = 0; place < count; place++) {
      const bit = this.bit(of, start + node);
      node = node * 2 + bit;
      value += bit * 2 ** place;
    }
    return value;
  }

  /** @param {ReturnType<typeof lengths>} of @param {number} positionState */
  length(of, positionState) {
    if (!this.bit(of.choice, 0)) return SHORTEST + this.tree(of.low, positionState * 8, 3);
    if (!this.bit(of.choice, 1)) return SHORTEST + 8 + this.tree(of.middle, positionState * 8, 3);
    return SHORTEST + 16 + this.tree(of.high, 0, 8);
  }
}

/** Distances of matches. */
class Distances {
  #slots = probabilities(4 * 64);
  #special = probabilities(115);
  #align = probabilities(16);

  /** @param {RangeDecoder} input @param {number} length */
  read(input, length) {
    const slot = input.tree(this.#slots, Math.min(length - SHORTEST, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 + (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + input.reverseTree(this.#special, base - slot, bits);
    return base + input.direct(bits - 4) * 16 + input.reverseTree(this.#align, 0, 4);
  }
}

/** @param {Uint8Array} packed @returns {Uint8Array<ArrayBuffer>} */
export function unpack(packed) {
  const [literalContext, literalPosition, position] = [packed[0] % 9, Math.floor(packed[0] / 9) % 5, Math.floor(packed[0] / 45)];
  // The rest of the header is the size of the dictionary, which is all of the output here, and a size that is not known.
  const input = new RangeDecoder(packed, 13);
  const literals = probabilities(0x300 << (literalContext + literalPosition));
  const [isMatch, isLong] = [1, 2].map(() => probabilities(STATES * POSITION_STATES));
  const [isRepeat, isOther, isThird, isFourth] = [1, 2, 3, 4].map(() => probabilities(STATES));
  const [matches, repeats] = [lengths(), lengths()];
  const distances = new Distances();
  let out = new Uint8Array(packed.length * 4);
  let [size, state] = [0, 0];
  /** The last four distances less one. */
  let [first, second, third, fourth] = [0, 0, 0, 0];

  const literal = () => {
    const before = size > 0 ? out[size - 1] : 0;
    const context = ((size & ((1 << literalPosition) - 1)) << literalContext) + (before >> (8 - literalContext));
    const start = 0x300 * context;
    let symbol = 1;
    if (state >= 7) {
      let match = out[size - first - 1];
      while (symbol < 0x100) {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const bit = input.bit(literals, start + ((1 + expected) << 8) + symbol);
        symbol = symbol * 2 + bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = symbol * 2 + input.bit(literals, start + symbol);
    out[size++] = symbol & 0xFF;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };

  for (;;) {
    // The longest match has 273 bytes.
    if (size + 273 > out.length) {
      const larger = new Uint8Array(out.length * 2);
      larger.set(out);
      out = larger;
    }
    const positionState = size & ((1 << position) - 1);
    const both = state * POSITION_STATES + positionState;
    if (!input.bit(isMatch, both)) {
      literal();
      continue;
    }
    let length;
    if (!input.bit(isRepeat, state)) {
      [second, third, fourth] = [first, second, third];
      length = input.length(matches, positionState);
      first = distances.read(input, length);
      if (first === END_MARKER) return out.slice(0, size);
      state = state < 7 ? 7 : 10;
    } else {
      const other = input.bit(isOther, state);
      if (!other && !input.bit(isLong, both)) {
        length = 1;
        state = state < 7 ? 9 : 11;
      } else {
        if (other && !input.bit(isThird, state)) [first, second] = [second, first];
        else if (other && !input.bit(isFourth, state)) [first, second, third] = [third, first, second];
        else if (other) [first, second, third, fourth] = [fourth, first, second, third];
        length = input.length(repeats, positionState);
        state = state < 7 ? 8 : 11;
      }
    }
    for (let from = size - first - 1; length > 0; length--) out[size++] = out[from++];
  }
}
