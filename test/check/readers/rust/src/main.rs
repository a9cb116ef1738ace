//! Prints the rows of a Parquet file in the normal form of the suite: read FILE LEFT_OUT
use base64::{engine::general_purpose::STANDARD, Engine};
use parquet::basic::LogicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::{Type, TypePtr};
use serde_json::{json, Map, Value};
use std::sync::Arc;
use std::{env, error::Error, fs::File};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).expect("a file");
    let left_out: Vec<String> = serde_json::from_str(&env::args().nth(2).expect("columns left out"))?;
    let file = SerializedFileReader::new(File::open(path)?)?;
    let schema = file.metadata().file_metadata().schema().clone();
    let fields = schema.get_fields().to_vec();
    let wanted: Vec<TypePtr> = fields
        .iter()
        .filter(|field| !left_out.iter().any(|name| name == field.name()))
        .cloned()
        .collect();
    let columns: Vec<&str> = wanted.iter().map(|field| field.name()).collect();
    let rows = read(&file, &wanted)?;
    let mut apart = Map::new();
    for field in fields
        .iter()
        .filter(|field| left_out.iter().any(|name| name == field.name()))
    {
        let given = match read(&file, &[field.clone()]) {
            Ok(rows) => rows.into_iter().map(|row| row[0].clone()).collect(),
            Err(error) => json!({ "error": error.to_string() }),
        };
        apart.insert(field.name().to_string(), given);
    }
    println!("{}", json!({ "columns": columns, "rows": rows, "apart": apart }));
    Ok(())
}

fn read(file: &SerializedFileReader<File>, fields: &[TypePtr]) -> Result<Vec<Vec<Value>>, Box<dyn Error>> {
    let projection = Type::group_type_builder(file.metadata().file_metadata().schema().name())
        .with_fields(fields.to_vec())
        .build()?;
    let mut rows = Vec::new();
    for row in file.get_row_iter(Some(projection))? {
        rows.push(normal_row(&row?, fields));
    }
    Ok(rows)
}

fn normal_row(row: &Row, fields: &[Arc<Type>]) -> Vec<Value> {
    row.get_column_iter()
        .zip(fields)
        .map(|((_, value), field)| normal(value, field))
        .collect()
}

/// A value as pages have it, but numbers as text.
fn normal(value: &Field, of: &Type) -> Value {
    let child = |of: &Type, index: usize| of.get_fields()[index].clone();
    match value {
        Field::Null => Value::Null,
        Field::Bool(value) => json!(value),
        Field::Byte(value) => json!(value.to_string()),
        Field::Short(value) => json!(value.to_string()),
        Field::Int(value) => json!(value.to_string()),
        Field::Long(value) => json!(value.to_string()),
        Field::UByte(value) => json!(value.to_string()),
        Field::UShort(value) => json!(value.to_string()),
        Field::UInt(value) => json!(value.to_string()),
        Field::ULong(value) => json!(value.to_string()),
        Field::Float(value) => float(f64::from(*value), value.to_string()),
        Field::Double(value) => float(*value, value.to_string()),
        Field::Decimal(value) => json!(decimal(value.data(), value.scale() as usize)),
        Field::Str(value) => json!(value),
        Field::Bytes(value) => json!(STANDARD.encode(value.data())),
        Field::Date(days) => json!(date(i64::from(*days))),
        Field::TimeMicros(micros) => json!(time(*micros)),
        Field::TimestampMillis(millis) => json!(instant(*millis * 1000, of)),
        Field::TimestampMicros(micros) => json!(instant(*micros, of)),
        Field::Group(row) => {
            let values = normal_row(row, of.get_fields());
            let names = of.get_fields().iter().map(|field| field.name().to_string());
            Value::Object(names.zip(values).collect())
        }
        Field::ListInternal(list) => {
            let element = child(&child(of, 0), 0);
            list.elements().iter().map(|item| normal(item, &element)).collect()
        }
        Field::MapInternal(map) => {
            let entry = child(of, 0);
            let [key, item] = [child(&entry, 0), child(&entry, 1)];
            map.entries()
                .iter()
                .map(|(name, value)| json!([normal(name, &key), normal(value, &item)]))
                .collect()
        }
        other => panic!("{other:?} has no normal form"),
    }
}

fn float(value: f64, text: String) -> Value {
    match value {
        _ if value.is_nan() => json!("NaN"),
        _ if value.is_infinite() => json!(if value > 0.0 { "Infinity" } else { "-Infinity" }),
        _ => json!(text),
    }
}

/// Big-endian two's complement with a scale, as digits.
fn decimal(bytes: &[u8], scale: usize) -> String {
    let first = if bytes[0] > 127 { -1i128 } else { 0 };
    let unscaled = bytes.iter().fold(first, |sum, byte| (sum << 8) | i128::from(*byte));
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{}{whole}{point}{fraction}", if unscaled < 0 { "-" } else { "" })
}

fn instant(micros: i64, of: &Type) -> String {
    let zone = matches!(
        of.get_basic_info().logical_type_ref(),
        Some(LogicalType::Timestamp(stamp)) if stamp.is_adjusted_to_u_t_c
    );
    let day = 86_400_000_000;
    let text = format!("{}T{}", date(micros.div_euclid(day)), time(micros.rem_euclid(day)));
    if zone {
        text + "Z"
    } else {
        text
    }
}

fn time(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let text = format!(
        "{:02}:{:02}:{:02}.{:06}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        micros % 1_000_000
    );
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The proleptic Gregorian calendar, counted in eras of 400 years that begin on 1 March.
fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let text = if (0..=9999).contains(&year) {
        format!("{year:04}")
    } else {
        format!("{year:+07}")
    };
    format!("{text}-{month:02}-{day:02}")
}
