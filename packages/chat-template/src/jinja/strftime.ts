import { unsupported } from '../errors.js'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** `date.strftime(format)` in the C locale, in the process's time zone: `%d %b %Y` → `23 Nov 2026`. */
export function strftime(date: Date, format: string): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const month = MONTHS[date.getMonth()]
  const day = DAYS[date.getDay()]
  const values: Readonly<Record<string, string>> = {
    Y: String(date.getFullYear()),
    y: two(date.getFullYear() % 100),
    m: two(date.getMonth() + 1),
    d: two(date.getDate()),
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    H: two(date.getHours()),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    '%': '%',
  }
  return format.replace(/%([\s\S]?)/g, (whole, letter: string) => {
    const value = Object.hasOwn(values, letter) ? values[letter] : undefined
    if (value === undefined) throw unsupported(`\`${whole}\` of a date`)
    return value
  })
}
