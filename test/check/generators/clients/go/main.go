// Calls the service through the client that openapi-generator writes for Go.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strings"

	api "generated/api"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	project, sql := os.Getenv("PROJECT"), os.Getenv("SQL")
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("FOLDGATE_URL")}}
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("FOLDGATE_KEY"))
	client := api.NewAPIClient(configuration)
	projects := client.ProjectsAPI

	failure := func(project, sql string) interface{} {
		_, _, err := projects.ProjectsQuery(ctx).ProjectQueryParams(*api.NewProjectQueryParams(project, sql)).Execute()
		return err.(*api.GenericOpenAPIError).Model()
	}

	listed, _, err := projects.ProjectsList(ctx).ProjectListParams(*api.NewProjectListParams()).Execute()
	must(err)
	ids := []string{}
	for _, project := range listed.Result.Items {
		ids = append(ids, project.ProjectId)
	}
	relation := api.NewProjectDescribeParams(project)
	relation.SetRelation("fold_totals")
	described, _, err := projects.ProjectsDescribe(ctx).ProjectDescribeParams(*relation).Execute()
	must(err)
	columns := []string{}
	for _, column := range described.Result.Columns {
		columns = append(columns, column.Name)
	}
	rows, pages := []map[string]interface{}{}, 0
	page := api.NewPageParams()
	page.SetLimit(1)
	for more := true; more; pages++ {
		asked := api.NewProjectQueryParams(project, sql)
		asked.SetPage(*page)
		answer, _, err := projects.ProjectsQuery(ctx).ProjectQueryParams(*asked).Execute()
		must(err)
		rows = append(rows, answer.Result.Items...)
		if more = answer.Result.HasNextCursor(); more {
			page.SetCursor(answer.Result.GetNextCursor())
		}
	}
	params := api.NewProjectExportParams(project, sql)
	params.SetFormat(api.CSV)
	exported, _, err := projects.ProjectsExport(ctx).ProjectExportParams(*params).Execute()
	must(err)
	link := exported.Result.Url
	file, _, err := client.ExportsAPI.ExportsGet(ctx, link[strings.LastIndex(link, "/")+1:]).Execute()
	must(err)
	defer os.Remove(file.Name())
	content, err := io.ReadAll(file)
	must(err)
	sum := sha256.Sum256(content)
	refused := failure(project, "DROP TABLE x").(api.InvalidQueryError)
	forbidden := failure(os.Getenv("FOREIGN_PROJECT"), sql).(api.ForbiddenError)
	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"projects":  ids,
		"columns":   columns,
		"rows":      rows,
		"pages":     pages,
		"url":       link,
		"bytes":     []int{int(exported.Result.Bytes), len(content)},
		"sha256":    hex.EncodeToString(sum[:]),
		"refused":   []interface{}{refused.Class, refused.Data.Rule},
		"forbidden": forbidden.Class,
	}))
}
