/**
 * The numbers that generated files of Unicode's facts hold: unsigned LEB128 (seven bits a byte, the lowest first; the
 * high bit says that more follow), the bytes in base64. `numbersOf('BawC')` → `[5, 300]`. Each number is below 2³¹.
 */
export function numbersOf(base64: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const byte of Buffer.from(base64, 'base64')) {
    value |= (byte & 127) << shift
    shift += 7
    if (byte > 127) continue
    numbers.push(value)
    value = shift = 0
  }
  return numbers
}
