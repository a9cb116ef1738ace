import { RendererEvent } from 'typedoc'

/** A plugin of typedoc: pages of the site have the first heading of their document as title, and its file name in their address. */
export function load(app) {
  app.renderer.on(RendererEvent.BEGIN, ({ project }) => {
    for (const document of project.documents ?? []) {
      const [heading] = document.content
      const [, title] = /^# (.+)$/m.exec(heading?.text ?? '') ?? []
      if (title === undefined) throw new Error(`docs/${document.name}.md does not begin with a heading`)
      document.name = title
    }
  })
}
