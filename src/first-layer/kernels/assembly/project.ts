// Rows times a matrix, in float32: the projections between narrow embeddings and wider blocks.

import { Bfloat16, Float16, widen } from './stored'

/** Writes `count` numbers of a storage type as float32. */
function widenRow(out: usize, from: usize, type: u32, count: u32): void {
  if (type === 0) widen<f32>(out, from, count)
  else if (type === 1) widen<Float16>(out, from, count)
  else widen<Bfloat16>(out, from, count)
}

// @inline
function sumOfLanes(sums: v128): f32 {
  const pairs = f32x4.add(sums, v128.shuffle<f32>(sums, sums, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

function dot(row: usize, weights: usize, width: u32): f32 {
  let sums = f32x4.splat(0)
  let i: u32 = 0
  for (; i + 4 <= width; i += 4) {
    sums = f32x4.add(sums, f32x4.mul(v128.load(row + 4 * i), v128.load(weights + 4 * i)))
  }
  let sum = sumOfLanes(sums)
  for (; i < width; i++) sum += load<f32>(row + 4 * i) * load<f32>(weights + 4 * i)
  return sum
}

/** Four rows at a time: each weight is loaded once for all of them. */
function dotFour(out: usize, outBytes: usize, row: usize, weights: usize, width: u32, bias: f32): void {
  const rowBytes: usize = 4 * width
  let sums0 = f32x4.splat(0)
  let sums1 = f32x4.splat(0)
  let sums2 = f32x4.splat(0)
  let sums3 = f32x4.splat(0)
  let i: u32 = 0
  for (; i + 4 <= width; i += 4) {
    const four = v128.load(weights + 4 * i)
    const at = row + 4 * i
    sums0 = f32x4.add(sums0, f32x4.mul(v128.load(at), four))
    sums1 = f32x4.add(sums1, f32x4.mul(v128.load(at + rowBytes), four))
    sums2 = f32x4.add(sums2, f32x4.mul(v128.load(at + 2 * rowBytes), four))
    sums3 = f32x4.add(sums3, f32x4.mul(v128.load(at + 3 * rowBytes), four))
  }
  let sum0 = sumOfLanes(sums0)
  let sum1 = sumOfLanes(sums1)
  let sum2 = sumOfLanes(sums2)
  let sum3 = sumOfLanes(sums3)
  for (; i < width; i++) {
    const weight = load<f32>(weights + 4 * i)
    const at = row + 4 * i
    sum0 += load<f32>(at) * weight
    sum1 += load<f32>(at + rowBytes) * weight
    sum2 += load<f32>(at + 2 * rowBytes) * weight
    sum3 += load<f32>(at + 3 * rowBytes) * weight
  }
  store<f32>(out, sum0 + bias)
  store<f32>(out + outBytes, sum1 + bias)
  store<f32>(out + 2 * outBytes, sum2 + bias)
  store<f32>(out + 3 * outBytes, sum3 + bias)
}

/**
 * out[n, H] = rows[n, C] · weight[H, C]ᵀ + bias[H], all sums in float32. `scratch` has room for one row of `weight` in
 * float32; a `bias` of 0 adds none.
 */
export function projectRows(
  out: usize,
  rows: usize,
  count: u32,
  width: u32,
  weight: usize,
  weightType: u32,
  bias: usize,
  biasType: u32,
  hiddenSize: u32,
  scratch: usize,
): void {
  const weightBytes: usize = <usize>width * (weightType === 0 ? 4 : 2)
  const biasBytes: usize = biasType === 0 ? 4 : 2
  const outBytes: usize = 4 * hiddenSize
  const rowBytes: usize = 4 * width
  for (let h: u32 = 0; h < hiddenSize; h++) {
    let added: f32 = 0
    if (bias !== 0) {
      widenRow(scratch, bias + h * biasBytes, biasType, 1)
      added = load<f32>(scratch)
    }
    widenRow(scratch, weight + h * weightBytes, weightType, width)
    let row: u32 = 0
    for (; row + 4 <= count; row += 4) {
      dotFour(out + row * outBytes + 4 * h, outBytes, rows + row * rowBytes, scratch, width, added)
    }
    for (; row < count; row++) {
      store<f32>(out + row * outBytes + 4 * h, dot(rows + row * rowBytes, scratch, width) + added)
    }
  }
}
