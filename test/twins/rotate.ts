/**
 * Rotates x [B, T, H, D] by cos and sin [T, R/2] as attention does with queries and keys, float32 per step.
 * The channels from R on stay as they are.
 */
export function rotate(
  x: Float32Array,
  [batch, length, heads, headDim]: readonly [number, number, number, number],
  layout: 'half' | 'interleaved',
  cos: Float32Array,
  sin: Float32Array,
): Float32Array {
  const f = Math.fround
  const pairs = cos.length / length
  const out = Float32Array.from(x)
  for (let vector = 0; vector < batch * length * heads; vector++) {
    const position = Math.floor(vector / heads) % length
    for (let pair = 0; pair < pairs; pair++) {
      const [a, b] = layout === 'half' ? [pair, pair + pairs] : [2 * pair, 2 * pair + 1]
      const [first, second] = [x[vector * headDim + a]!, x[vector * headDim + b]!]
      const [c, s] = [cos[position * pairs + pair]!, sin[position * pairs + pair]!]
      out[vector * headDim + a] = f(first * c) - f(second * s)
      out[vector * headDim + b] = f(second * c) + f(first * s)
    }
  }
  return out
}
