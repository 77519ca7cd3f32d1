/** A number with three significant digits: 0.123, 1.23, 12.3, 1,230. */
export function figure(number) {
  if (number === undefined || Number.isNaN(number)) return '–'
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en-US')
  return number.toFixed(Math.abs(number) >= 10 ? 1 : 2)
}

/** A ratio with what it was in the lowest and the highest round: `8.1 × (7.9–8.4)`. */
export function times(ratio) {
  return ratio === undefined ? '–' : `${figure(ratio.middle)} × (${figure(ratio.low)}–${figure(ratio.high)})`
}

/** Rows as a Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
