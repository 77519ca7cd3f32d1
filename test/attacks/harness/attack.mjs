import { Expectations } from './expectations.mjs'
import { BOUNDS, judge } from './judge.mjs'
import { measure } from './measure.mjs'
import { startService } from './service.mjs'
import { watchTurns } from './turns.mjs'

const SETTLE_MS = 3000
/** A longer turn than this is none of the machine's. */
const ODD_MS = 250

/**
 * Runs one variant of an attack, against a service of its own.
 *
 * @param attack a module: { name, about, variants, prepare(variant), send(service, prepared), expect(seen, must,
 *   variant), env, stdout, bounds, limitMs }. What is dear to make is made by `prepare`, not measured; without
 *   it `send` takes the variant. `send` gives { answers, … }: `said` stands in the table in their place, `endsIt` where
 *   the attack is on the end itself
 * @param label one of `variants`
 * @param options { env, bounds, capBytes, tries } in place of the attack's own; `tries`: where
 *   only times were wrong, and they may be the busy machine's, it is tried again, and the best try counts
 * @returns { name, seen, failures }
 */
export async function runAttack(attack, label, options = {}) {
  let best
  for (let tries = options.tries ?? 1; tries > 0; tries--) {
    const report = await runOnce(attack, label, options)
    if (best === undefined || isBetter(report, best)) best = report
    if (!report.mayBeOdd) break
  }
  return best
}

function isBetter(report, best) {
  const fewer = best.failures.length - report.failures.length
  return fewer > 0 || (fewer === 0 && report.seen.longestMs < best.seen.longestMs)
}

async function runOnce(attack, label, options) {
  const variant = attack.variants[label]
  const bounds = { ...BOUNDS, ...attack.bounds, ...variant.bounds, ...options.bounds }
  const prepared = attack.prepare?.(variant) ?? variant
  const turns = watchTurns()
  const service = await startService(startOptions(attack, variant, options, turns))
  const limits = {
    limitMs: variant.limitMs ?? attack.limitMs,
    settleMs: SETTLE_MS,
    turns,
    capBytes: options.capBytes,
  }
  try {
    const seen = await measure(service, attack, prepared, limits)
    const must = new Expectations()
    judge(seen, bounds, must)
    if (!seen.capped && !seen.overdue) attack.expect(seen, must, variant)
    const { failures, timing } = must
    const mayBeOdd = timing > 0 && timing === failures.length && seen.longestMs < ODD_MS
    return { name: `${attack.name}/${label}`, seen, failures, mayBeOdd }
  } finally {
    service.kill()
    await service.exited
    turns.end()
  }
}

function startOptions(attack, variant, { env }, turns) {
  return { env: { ...attack.env, ...variant.env, ...env, ...turns.env }, stdout: attack.stdout?.(variant) }
}
