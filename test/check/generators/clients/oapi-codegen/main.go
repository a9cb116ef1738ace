// Calls the service through the client that oapi-codegen writes.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	api "generated/oapi"

	"github.com/google/uuid"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	project, sql := uuid.MustParse(os.Getenv("PROJECT")), os.Getenv("SQL")
	withKey := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("FOLDGATE_KEY"))
		return nil
	})
	client, err := api.NewClientWithResponses(os.Getenv("FOLDGATE_URL"), withKey)
	must(err)
	listed, err := client.ProjectsListWithResponse(ctx, api.ProjectListParams{})
	must(err)
	ids := []string{}
	for _, project := range listed.JSON200.Result.Items {
		ids = append(ids, project.ProjectId.String())
	}
	relation := "fold_totals"
	described, err := client.ProjectsDescribeWithResponse(ctx, api.ProjectDescribeParams{ProjectId: project, Relation: &relation})
	must(err)
	columns := []string{}
	for _, column := range *described.JSON200.Result.Columns {
		columns = append(columns, column.Name)
	}
	rows, pages, limit := []api.Row{}, 0, 1
	page := api.PageParams{Limit: &limit}
	for more := true; more; pages++ {
		answer, err := client.ProjectsQueryWithResponse(ctx, api.ProjectQueryParams{ProjectId: project, Sql: sql, Page: &page})
		must(err)
		rows = append(rows, answer.JSON200.Result.Items...)
		page.Cursor = answer.JSON200.Result.NextCursor
		more = page.Cursor != nil
	}
	exported, err := client.ProjectsExportWithResponse(ctx, api.ProjectExportParams{ProjectId: project, Sql: sql})
	must(err)
	link := exported.JSON200.Result.Url
	file, err := client.ExportsGetWithResponse(ctx, link[strings.LastIndex(link, "/")+1:])
	must(err)
	sum := sha256.Sum256(file.Body)
	refused, err := client.ProjectsQueryWithResponse(ctx, api.ProjectQueryParams{ProjectId: project, Sql: "DROP TABLE x"})
	must(err)
	foreign := uuid.MustParse(os.Getenv("FOREIGN_PROJECT"))
	forbidden, err := client.ProjectsQueryWithResponse(ctx, api.ProjectQueryParams{ProjectId: foreign, Sql: sql})
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"projects":  ids,
		"columns":   columns,
		"rows":      rows,
		"pages":     pages,
		"url":       link,
		"bytes":     []int{exported.JSON200.Result.Bytes, len(file.Body)},
		"sha256":    hex.EncodeToString(sum[:]),
		"refused":   []interface{}{refused.JSON422.Class, refused.JSON422.Data.Rule},
		"forbidden": forbidden.JSON403.Class,
	}))
}
