import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ExportsApi;
import org.openapitools.client.api.ProjectsApi;
import org.openapitools.client.model.*;

/** Calls the service through the client that openapi-generator writes for Java. */
public class Caller {
  private static ProjectsApi projects;
  private static ObjectMapper mapper;

  public static void main(String[] arguments) throws Exception {
    String sql = System.getenv("SQL");
    UUID project = UUID.fromString(System.getenv("PROJECT"));
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("FOLDGATE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("FOLDGATE_KEY")));
    mapper = client.getObjectMapper();
    projects = new ProjectsApi(client);

    List<String> listed = new ArrayList<>();
    for (ProjectSummary summary : projects.projectsList(new ProjectListParams()).getResult().getItems())
      listed.add(summary.getProjectId().toString());
    List<String> columns = new ArrayList<>();
    ProjectDescribeParams relation = new ProjectDescribeParams().projectId(project).relation("fold_totals");
    for (RelationColumn column : projects.projectsDescribe(relation).getResult().getColumns()) columns.add(column.getName());
    List<Object> rows = new ArrayList<>();
    int pages = 0;
    String cursor = null;
    do {
      PageParams page = new PageParams().limit(1).cursor(cursor);
      RowList answer = projects.projectsQuery(query(project, sql).page(page)).getResult();
      rows.addAll(answer.getItems());
      cursor = answer.getNextCursor();
      pages++;
    } while (cursor != null);
    ProjectExport exported =
        projects.projectsExport(new ProjectExportParams().projectId(project).sql(sql).format(ExportFormat.CSV)).getResult();
    String link = exported.getUrl().toString();
    File file = new ExportsApi(client).exportsGet(link.substring(link.lastIndexOf('/') + 1));
    byte[] content = Files.readAllBytes(file.toPath());
    Files.delete(file.toPath());
    InvalidQueryError refused = (InvalidQueryError) failure(project, "DROP TABLE x");
    ForbiddenError forbidden = (ForbiddenError) failure(UUID.fromString(System.getenv("FOREIGN_PROJECT")), sql);
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("projects", listed);
    result.put("columns", columns);
    result.put("rows", rows);
    result.put("pages", pages);
    result.put("url", link);
    result.put("bytes", List.of(exported.getBytes(), content.length));
    result.put("sha256", HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)));
    result.put("refused", List.of(refused.getPropertyClass(), refused.getData().getRule()));
    result.put("forbidden", forbidden.getPropertyClass());
    System.out.println(mapper.writeValueAsString(result));
  }

  private static ProjectQueryParams query(UUID project, String sql) {
    return new ProjectQueryParams().projectId(project).sql(sql);
  }

  private static Object failure(UUID project, String sql) throws Exception {
    try {
      projects.projectsQuery(query(project, sql));
    } catch (ApiException error) {
      return mapper.readValue(error.getResponseBody(), ErrorBody.class).getActualInstance();
    }
    throw new AssertionError("the call succeeded");
  }
}
