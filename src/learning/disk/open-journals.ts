import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { isLocation } from '../../objects/location.js'
import type { Journals } from '../journals.js'
import { DiskJournals } from './disk-journals.js'
import type { LearningVariables } from './disk-variables.js'
import { LearningDisk } from './learning-disk.js'
import { modelCard } from './model-in-folder.js'

/** The journals below DATA_DIR; undefined without one, and where that is a bucket. */
export function openJournals(variables: LearningVariables): Journals | undefined {
  const disk = learningDisk(variables)
  return disk && new DiskJournals(disk)
}

/** A model that has a folder. */
export interface StoredModel {
  readonly id: string
  /** Absent where the configuration has it, or where it cannot be read. */
  readonly card?: ModelCard | undefined
  /** Why the card cannot be read, and where it is. */
  readonly problem?: string
}

/** Told of what is found on the disk. */
export interface StoredEvents {
  /** A folder that a process left unfinished has been removed. */
  removed(path: string): void
}

/** The models that learn, as processes before this one have left them. */
export function storedModels(variables: LearningVariables, events: StoredEvents): readonly StoredModel[] {
  const disk = learningDisk(variables)
  if (disk === undefined) return []
  for (const path of disk.removeAbandoned()) events.removed(path)
  return disk.models().map((id) => {
    try {
      return { id, card: modelCard(disk.card(id)) }
    } catch (error) {
      return { id, problem: (error as Error).message }
    }
  })
}

function learningDisk({ DATA_DIR, DATA_QUOTA_BYTES, LEARNING_SYNC }: LearningVariables) {
  const isFolder = DATA_DIR !== undefined && !isLocation(DATA_DIR) // steps are appended, which no object takes
  return isFolder ? new LearningDisk(DATA_DIR, DATA_QUOTA_BYTES, LEARNING_SYNC) : undefined
}
