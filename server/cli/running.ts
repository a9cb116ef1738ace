import type { Command } from 'commander'
import { endCall, listRunning } from '../store/running.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { print, printList } from './print.js'

/** `foldgate running` and `foldgate cancel` */
export function runningCommands(program: Command): void {
  addCommand(program, 'running', 'Show the calls that servers of this store have run for more than a second.')
    .addHelpText(
      'after',
      '\nServers tell their calls once per second. ENGINE is processor time of the engine. ROWS are not told of Parquet and Arrow.',
    )
    .action((options: CommonOptions) =>
      withStore(options, async store =>
        printList(options, await listRunning(store), {
          ID: each => each.callId,
          SECONDS: each => (each.runningMs / 1000).toFixed(1),
          METHOD: each => each.method,
          PHASE: each => each.phase ?? '',
          ENGINE: each => (each.processorMs / 1000).toFixed(1),
          ROWS: each => String(each.rows ?? ''),
          BYTES: each => String(each.bytes),
          ORGANIZATION: each => each.organization ?? '',
          PROJECT: each => each.projectId ?? '',
          OWNER: each => each.ownerId,
          KEY: each => each.keyId,
          RELATIONS: each => each.relations.join(','),
          PROCESS: each => each.process,
        }),
      ),
    )
  addCommand(program, 'cancel <id>', 'End a call that a server runs; it is answered UNAVAILABLE.').action(
    (id: string, options: CommonOptions) =>
      withStore(options, async store => {
        const call = await store.transaction(async within => {
          const ended = await endCall(within, id)
          const { callId, method, keyId, organization, projectId } = ended
          const organizations = organization === null ? [] : [organization]
          await within.tell({
            type: 'call.cancelled',
            subject: callId,
            at: within.clock.now(),
            concerns: { operator: true },
            data: { method, keyId, organizations, ...(projectId === null ? {} : { projectId }) },
          })
          return ended
        })
        print(
          options,
          { id: call.callId, method: call.method },
          `Its server ends the call ${call.callId} within two seconds.`,
        )
      }),
  )
}
