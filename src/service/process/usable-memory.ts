import { totalmem } from 'node:os'

/** Bytes that this process may use: the machine's, or fewer where its container has a limit. */
export function usableMemory(
  constrained: number = process.constrainedMemory(),
  machine = totalmem(),
): number {
  return constrained > 0 ? Math.min(constrained, machine) : machine // 0: no limit is known
}
