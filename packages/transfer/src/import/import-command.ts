import type { Command } from 'commander'
import {
  addCommand,
  CATALOGUE_SETTING,
  type CommonOptions,
  interruptible,
  print,
  quoted,
  reportWarnings,
  settingOption,
  withSnapshots,
} from 'foldgate-server/parts'
import { type ImportProgress, importPackage } from './import-package.js'

/** `foldgate import` */
export function importCommand(program: Command): void {
  addCommand(program, 'import <folder>', 'Import a whole package: organizations, projects and their tables.')
    .addOption(settingOption(CATALOGUE_SETTING))
    .addHelpText(
      'after',
      '\nThe folder holds organizations.csv, projects.csv and one CSV or Parquet file per table, keyed by\n' +
        'project_key. Running the import again continues where it stopped and adds nothing twice. When tables have\n' +
        'changed, all computed projects are sealed again.',
    )
    .action((folder: string, options: CommonOptions) =>
      withSnapshots(options, async (store, data) => {
        const bar = await showProgress(process.stderr)
        const summary = await interruptible(signal =>
          importPackage(store, { data, signal }, folder, bar.show),
        ).finally(bar.end)
        const { organizationsAdded, projectsAdded, projects, leftOut, warnings } = summary
        reportWarnings(warnings)
        const sealed = projects.filter(project => project.outcome === 'sealed').length
        const left = leftOut.length === 0 ? '' : `\nNot a table, left out: ${leftOut.map(quoted).join(', ')}`
        const added = `${organizationsAdded} organizations and ${projectsAdded} projects added`
        print(options, summary, `${added}, ${sealed} of ${projects.length} projects sealed${left}`)
      }),
    )
}

/** Shows a progress bar on a terminal, and one line per project elsewhere. */
async function showProgress(
  stream: NodeJS.WriteStream,
): Promise<{ show(progress: ImportProgress): void; end(): void }> {
  if (!stream.isTTY) {
    return {
      show({ index, total, project, outcome }) {
        if (outcome) stream.write(`[${index}/${total}] ${project}: ${outcome}\n`)
      },
      end() {},
    }
  }
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({ stream, format: '{bar} {value}/{total} {project}', hideCursor: true })
  return {
    show({ index, total, project, outcome }) {
      if (!bar.isActive) bar.start(total, 0, { project })
      bar.update(outcome ? index : index - 1, { project })
    },
    end: () => bar.stop(),
  }
}
