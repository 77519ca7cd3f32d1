import { cpus, loadavg } from 'node:os'

/** The machine of the figures: `AMD EPYC, 2 cores, Node v20.20.2, 2026-11-21`. */
export function machine() {
  const [{ model }] = cpus()
  const date = new Date().toISOString().slice(0, 10)
  return `${model.trim()}, ${cpus().length} cores, Node ${process.version}, ${date}`
}

/** How busy the machine was just before. */
export function load() {
  return `load ${loadavg()
    .map((figure) => figure.toFixed(1))
    .join(' ')}`
}
