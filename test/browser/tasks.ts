import type { Browser, Page } from 'playwright-core'

/** A task of the page's main thread: milliseconds that it had a processor. */
export interface Task {
  readonly worked: number
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the thread's own processor time. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** The tasks of the page while something happens. A busy machine stretches what they took, not what they worked. */
export async function tasksDuring(
  browser: Browser,
  page: Page,
  happens: () => Promise<void>,
): Promise<Task[]> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
  await happens()
  const trace = JSON.parse((await browser.stopTracing()).toString())
  const events: TraceEvent[] = trace.traceEvents
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return events
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => ({ worked: tdur / 1000 }))
}
