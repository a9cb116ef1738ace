import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** Prints the rows of Parquet files in the normal form of the suite, one line per file: Read FILE… */
class Read {
  public static void main(String[] paths) throws Exception {
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.datetime.java8API.enabled", "true")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate();
    List<String> answers = new ArrayList<>();
    for (String path : paths) answers.add(new ObjectMapper().writeValueAsString(read(spark, path)));
    spark.stop();
    answers.forEach(System.out::println);
  }

  static Map<String, Object> read(SparkSession spark, String path) {
    try {
      Dataset<Row> data = spark.read().parquet(path);
      List<Object> rows = new ArrayList<>();
      for (Row row : data.collectAsList()) rows.add(fields(row));
      return Map.of("columns", data.columns(), "rows", rows);
    } catch (Exception error) {
      return Map.of("error", error.toString());
    }
  }

  static List<Object> fields(Row row) {
    List<Object> values = new ArrayList<>();
    for (int index = 0; index < row.size(); index++) values.add(normal(row.get(index)));
    return values;
  }

  /** A value as pages have it, but numbers as text. */
  static Object normal(Object value) {
    if (value == null || value instanceof Boolean || value instanceof String) return value;
    if (value instanceof byte[] bytes) return Base64.getEncoder().encodeToString(bytes);
    if (value instanceof BigDecimal number) return number.toPlainString();
    if (value instanceof LocalDate || value instanceof LocalDateTime) return trimmed(iso(value));
    if (value instanceof Instant instant) return trimmed(iso(instant.atOffset(ZoneOffset.UTC).toLocalDateTime())) + "Z";
    if (value instanceof scala.collection.Map<?, ?> map) {
      Map<String, Object> members = new LinkedHashMap<>();
      CollectionConverters.asJava(map).forEach((key, item) -> members.put((String) key, normal(item)));
      return members;
    }
    if (value instanceof scala.collection.Iterable<?> items) {
      List<Object> list = new ArrayList<>();
      for (Object item : CollectionConverters.asJava(items)) list.add(normal(item));
      return list;
    }
    if (value instanceof Row row) {
      Map<String, Object> members = new LinkedHashMap<>();
      List<Object> values = fields(row);
      List<String> names = Arrays.asList(row.schema().fieldNames());
      for (int index = 0; index < names.size(); index++) members.put(names.get(index), values.get(index));
      return members;
    }
    if (value instanceof Number) return value.toString();
    throw new IllegalArgumentException(value.getClass() + " has no normal form");
  }

  /** Years outside 0 to 9999 have a sign and six digits. */
  static String iso(Object value) {
    LocalDateTime at = value instanceof LocalDate date ? date.atStartOfDay() : (LocalDateTime) value;
    boolean plain = at.getYear() >= 0 && at.getYear() <= 9999;
    String year = plain ? String.format("%04d", at.getYear()) : String.format("%+07d", at.getYear());
    String rest = value instanceof LocalDate ? "-MM-dd" : "-MM-dd'T'HH:mm:ss.SSSSSS";
    return year + at.format(DateTimeFormatter.ofPattern(rest));
  }

  static String trimmed(String text) {
    return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
  }
}
